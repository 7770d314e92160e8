import type { App } from '../../state/app.svelte'
import { callOf, succeeded, unack } from '../../monitor/alerts/acting'
import { called, rowFields, textCondition, type Alert } from '../../monitor/alerts/alert'
import { write } from '../../monitor/requested.svelte'
import { whyNot } from '../../monitor/form/may'
import { series } from '../../ui/locale'
import { listed, targetsOf } from '../targets'
import { text as words } from '../actions/text'
import { commented, type Plan, type Verb } from '../verb'

const text = words.ack
/** Maximum alerts at once, so that the user can review them. */
const most = 200
const query = { size: String(most), sort: '-severity,-startEpoch', fields: rowFields }

/** Acknowledges the unacknowledged alerts that match words, or those of a group. */
export default {
  word: 'ack',
  also: ['acknowledge'],
  takes: text.takes,
  does: text.does,
  icon: 'check',
  async plan(app, typed, signal) {
    const { target, comment } = commented(typed)
    if (!target) return []
    const found = listed<Alert>(
      app,
      '/alert/alerts',
      { ...query, filter: ['acked:false', ...target.split(/\s+/).map(textCondition)].join(',') },
      signal,
    )
    const groups = targetsOf(app, 'group', target, signal).then((all) =>
      Promise.all(
        all.slice(0, 2).map(async (group) => {
          const path = `/device/groups/${group.id}/alerts`
          return { group, ...(await listed<Alert>(app, path, { ...query, filter: 'acked:false' }, signal)) }
        }),
      ),
    )
    const [{ total, items }, ofGroups] = await Promise.all([found, groups])
    const several: Plan[] = ofGroups
      .filter((g) => g.total > 0)
      .map((g) => plan(app, `ack group ${g.group.id}`, text.ofGroup(g.total, g.group.name), g.total, g.items, comment))
    if (total > 1) several.unshift(plan(app, 'ack all', text.matching(total, target), total, items, comment))
    const single = items.slice(0, 5).map((a) => plan(app, `ack ${a.id}`, text.one(called(a)), 1, [a], comment))
    const plans = [...several, ...single]
    return plans.length ? plans : [{ id: 'ack none', text: text.none(target), hint: text.noneGoes }]
  },
} satisfies Verb

function plan(app: App, id: string, what: string, total: number, alerts: Alert[], comment: string): Plan {
  const devices = [...new Set(alerts.map((a) => a.monitorObjectName))]
  const names = devices.length > 3 ? [...devices.slice(0, 3), text.more(devices.length - 3)] : devices
  return {
    id,
    text: what,
    hint: `${total > 1 ? `${series(names)} · ` : ''}${comment ? text.saying(comment) : text.sayWhy}`,
    why: whyNot(app, 'POST', callOf.ack) || (total > most ? text.tooMany(most) : ''),
    confirm: total > 1 ? text.confirm(total) : undefined,
    run: async () => {
      const alertIds = alerts.map((a) => a.id)
      const body = { alertIds, ackComment: comment || text.comment }
      const acked = await write(app, text.failed, async (portal) =>
        succeeded(alertIds, await portal.create('/alert/alerts/ack', body)),
      )
      if (!acked) return
      app.live.refresh()
      const what = total === 1 ? called(alerts[0]) : text.alerts(acked.length)
      const others = alertIds.length - acked.length
      app.toasts.show(text.done(what), {
        ...(others && { tone: 'warn', details: [text.others(others)] }),
        undo: () => unack(app, acked),
      })
    },
  }
}
