import type { App } from '../../state/app.svelte'
import { screens } from '../../monitor/screens'
import { severities } from '../../monitor/severity'
import { weekdayMoment, zone } from '../../ui/locale'
import { listed, targetsOf } from '../targets'
import { text as words } from '../actions/text'
import type { Plan, Verb } from '../verb'
import { momentOf } from '../when'

const text = words.open
/** Other words for screens. */
const also: Record<string, string> = { devices: 'fleet', hosts: 'fleet', checks: 'datasources' }

/** Opens a screen with filters: `open critical alerts of Network since yesterday`. */
export default {
  word: 'open',
  also: ['show', 'go'],
  takes: text.takes,
  does: text.does,
  icon: 'right',
  async plan(app, typed, signal) {
    const [, before, since] = /^(.*?)(?:\s*\bsince\s+(.*))?$/is.exec(typed) ?? []
    const [, place, of = ''] = /^(.*?)(?:\s*\b(?:of|in|for)\s+(.*))?$/is.exec(before) ?? []
    const parts = place.toLowerCase().split(/\s+/).filter(Boolean)
    const severity = severities.find((s) => parts.includes(s.word.toLowerCase()))
    const screen = screenOf(app, parts)
    if (!screen) return [{ id: 'open none', text: text.noScreen(place.trim()), hint: text.screens(namesOf(app)) }]
    const now = app.live.now
    const from = since === undefined ? undefined : momentOf(since, now)
    if (since !== undefined && from === undefined)
      return [{ id: 'open none', text: text.noMoment(since.trim()), hint: text.moments }]
    const filters: Record<string, string> = {
      ...(severity && { severity: String(severity.number) }),
      ...(from && { since: String(Math.floor(from / 1000)) }),
    }
    const alerts = screen.id === 'alerts'
    if (!alerts && Object.keys(filters).length) return [{ id: 'open none', text: text.onlyAlerts }]
    const rest = [severity && text.only(severity.word), from && text.since(weekdayMoment(from, zone))]
    const open = (id: string, name: string, object = '', more: Record<string, string> = {}): Plan => ({
      id: `open ${screen.id} ${id}`,
      text: text.plan(screen.name, name),
      hint: rest.filter(Boolean).join(' · '),
      run: () => app.navigation.watch(screen.id, object, { ...filters, ...more }),
    })
    if (!of) return [open('', '')]
    if (!alerts && screen.id !== 'fleet') return [{ id: 'open none', text: text.notOf(screen.name) }]
    const [groups, devices] = await Promise.all([
      targetsOf(app, 'group', of, signal),
      targetsOf(app, 'device', of, signal),
    ])
    const conditions = [severity && `severity:${severity.number}`, from && `startEpoch>:${filters.since}`]
    const plans = [
      ...(await Promise.all(
        groups.slice(0, 3).map(async (g) => {
          const plan = open(`group ${g.id}`, text.group(g.name), '', { group: String(g.id) })
          if (!alerts) return plan
          const query = { size: '1', fields: 'id', filter: conditions.filter(Boolean).join(',') }
          const { total } = await listed(app, `/device/groups/${g.id}/alerts`, query, signal)
          return { ...plan, hint: [text.count(total), plan.hint].filter(Boolean).join(' · ') }
        }),
      )),
      ...devices
        .slice(0, 5)
        .map((d) =>
          alerts ? open(`device ${d.id}`, d.name, '', { text: d.name }) : open(`device ${d.id}`, d.name, String(d.id)),
        ),
    ]
    return plans.length ? plans : [{ id: 'open none', text: text.none(of) }]
  },
} satisfies Verb

const shown = (app: App) => screens.filter((s) => !s.demo || app.portal.demo)
const namesOf = (app: App) => shown(app).map((s) => s.name.toLowerCase())

/** Returns the screen that one of the words begins to name. */
function screenOf(app: App, parts: string[]) {
  const meant = (word: string) =>
    shown(app).find((s) => s.id === also[word]) ??
    (word.length < 2 ? undefined : shown(app).find((s) => s.name.toLowerCase().startsWith(word)))
  return parts.map(meant).find(Boolean)
}
