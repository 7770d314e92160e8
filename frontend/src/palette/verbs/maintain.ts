import type { App } from '../../state/app.svelte'
import { maintain } from '../../monitor/fleet/bulk'
import { whyNot } from '../../monitor/form/may'
import { dayTime, series } from '../../ui/locale'
import { isCut, targetsOf, type Target } from '../targets'
import { text as words } from '../actions/text'
import { commented, type Plan, type Verb } from '../verb'
import { spanned } from '../when'

const text = words.maintain
const usual = 60 // minutes

/** Plans maintenance of devices, or of a group, that begins now. */
export default {
  word: 'maintain',
  also: ['maintenance', 'sdt', 'downtime'],
  takes: text.takes,
  does: text.does,
  icon: 'clock',
  async plan(app, typed, signal) {
    const { target: whole, comment } = commented(typed)
    const { target, minutes } = spanned(whole)
    if (!target) return [{ id: 'maintain none', text: text.what }]
    const [devices, groups] = await Promise.all([
      targetsOf(app, 'device', target, signal),
      targetsOf(app, 'group', target, signal),
    ])
    const plans = [
      ...devices.slice(0, 5).map((d) => plan(app, `maintain device ${d.id}`, d.name, [d], minutes, comment)),
      ...groups.slice(0, 3).map((g) => {
        const count = Number(g.item.numOfHosts) || 0
        return plan(app, `maintain group ${g.id}`, text.group(g.name), [g], minutes, comment, count)
      }),
    ]
    if (devices.length > 1 && !isCut(devices))
      plans.push(plan(app, 'maintain all', text.devices(devices.length, target), devices, minutes, comment))
    return plans.length ? plans : [{ id: 'maintain none', text: text.none(target), hint: text.spans }]
  },
} satisfies Verb

/** `within` is the number of devices in a group; undefined for devices. */
function plan(
  app: App,
  id: string,
  what: string,
  targets: Target[],
  minutes: number | undefined,
  comment: string,
  within?: number,
): Plan {
  const from = Math.round(app.live.now)
  const until = text.until(dayTime(from + (minutes ?? usual) * 60_000))
  const names = targets.length > 3 ? [...targets.slice(0, 3).map((t) => t.name), text.more(targets.length - 3)] : []
  return {
    id,
    text: text.plan(what, minutes ?? usual),
    hint: [series(names), until, comment ? text.saying(comment) : minutes ? '' : text.spans]
      .filter(Boolean)
      .join(' · '),
    why: whyNot(app, 'POST', '/sdt/sdts'),
    confirm:
      within !== undefined
        ? text.confirmGroup(what, minutes ?? usual)
        : targets.length > 1
          ? text.confirm(targets.length, minutes ?? usual)
          : undefined,
    run: () => {
      const now = Math.round(app.live.now)
      const span = { from: now, to: now + (minutes ?? usual) * 60_000, comment }
      const after = () => app.live.refresh()
      return maintain(
        app,
        targets.map((t) => t.id),
        span,
        after,
        within === undefined ? undefined : what,
      )
    },
  }
}
