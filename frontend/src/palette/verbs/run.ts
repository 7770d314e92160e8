import { write } from '../../monitor/requested.svelte'
import { whyNot } from '../../monitor/form/may'
import { targetsOf } from '../targets'
import { text as words } from '../actions/text'
import type { Verb } from '../verb'

const text = words.run

/** Runs a report now. */
export default {
  word: 'run',
  also: ['generate'],
  takes: text.takes,
  does: text.does,
  icon: 'report',
  async plan(app, typed, signal) {
    const name = typed.replace(/^reports?\s+/i, '').trim()
    if (/^reports?$/i.test(name)) return [{ id: 'run none', text: text.what }]
    const reports = await targetsOf(app, 'report', name, signal)
    if (!reports.length) return [{ id: 'run none', text: text.none(name) }]
    return reports.slice(0, 6).map((report) => ({
      id: `run ${report.id}`,
      text: text.plan(report.name),
      hint: text.hint,
      why: whyNot(app, 'POST', '/report/reports/1/executions'),
      run: async () => {
        const path = '/report/reports/{id}/executions'
        const at = { params: { id: report.id } }
        const started = await write(app, text.failed(report.name), (portal) => portal.create(path, {} as never, at))
        if (started === undefined) return
        const show = () => app.navigation.watch('reports', '', { row: String(report.id) })
        app.toasts.show(text.done(report.name), { action: { label: text.show, run: show } })
      },
    }))
  },
} satisfies Verb
