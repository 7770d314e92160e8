/** Runs actions on one or several alerts. */
import type { App } from '../../state/app.svelte'
import { Fault } from '../../client'
import { patiently, write } from '../requested.svelte'
import type { Act } from './act'
import { called, type Alert } from './alert'
import { text } from './text'

export type { Act }

export const { titles } = text.act

/** The API call of each action, as the catalog names it. */
export const callOf = {
  ack: '/alert/alerts/{id}/ack',
  note: '/alert/alerts/{id}/note',
  escalate: '/alert/alerts/{id}/escalate',
  sdt: '/sdt/sdts',
} as const satisfies Record<Act, string>

export interface Saying {
  comment: string
  /** Duration of maintenance. */
  minutes: number
  /** Maintenance of the device, or of the instance only. */
  whole: boolean
}

/** Returns the alerts to which an action applies. */
export function actable(what: Act, alerts: Alert[]): Alert[] {
  if (what === 'note') return alerts
  if (what === 'sdt') return alerts.filter((a) => a.monitorObjectId > 0)
  return alerts.filter((a) => !a.cleared && (what === 'escalate' || !a.acked))
}

/** Applies an action to each alert, and shows the result as a toast; returns false if none succeeded. */
export async function act(app: App, what: Act, alerts: Alert[], saying: Saying): Promise<boolean> {
  const made: string[] = []
  let done = 0
  for (const alert of what === 'sdt' ? apart(alerts, saying.whole) : alerts) {
    const answer = await write(app, text.act.failed(titles[what], called(alert)), (portal) =>
      patiently(app, (): Promise<{ id: string }> => {
        const at = { params: { id: alert.id } }
        if (what === 'ack') return portal.create(callOf.ack, { ackComment: saying.comment }, at)
        if (what === 'note') return portal.create(callOf.note, { ackComment: saying.comment }, at)
        if (what === 'escalate') return portal.create(callOf.escalate, undefined, at)
        return portal.create(callOf.sdt, maintenance(alert, saying, app.live.now))
      }),
    )
    if (answer === undefined) break // the next would fail as well
    done++
    made.push(what === 'sdt' ? answer.id : alert.id)
  }
  if (!done) return false
  app.live.refresh() // show the change at once, before its event arrives
  const undos: Partial<Record<Act, () => Promise<boolean>>> = {
    ack: () => unack(app, made),
    sdt: () => undoMaintenance(app, made),
  }
  app.toasts.show(
    text.act.done(
      what,
      done === 1 ? called(alerts[0]) : what === 'sdt' && saying.whole ? text.act.devices(done) : text.act.several(done),
    ),
    { undo: undos[what] },
  )
  return true
}

/** Returns one alert for each target of the maintenance. */
export function apart(alerts: Alert[], whole: boolean): Alert[] {
  return [...new Map(alerts.map((a) => [whole ? a.monitorObjectId : a.instanceId, a])).values()]
}

/** Returns a maintenance window that begins now. */
export function maintenance(alert: Alert, { comment, minutes, whole }: Saying, now: number) {
  const of = whole
    ? { type: 'ResourceSDT' as const, deviceId: alert.monitorObjectId }
    : { type: 'DeviceDataSourceInstanceSDT' as const, dataSourceInstanceId: alert.instanceId }
  return {
    ...of,
    sdtType: 'oneTime' as const,
    startDateTime: Math.floor(now),
    endDateTime: Math.floor(now) + minutes * 60_000,
    comment,
  }
}

async function undoMaintenance(app: App, ids: string[]): Promise<boolean> {
  for (const id of ids)
    if (
      !(await write(app, text.act.maintenanceStays, (portal) =>
        patiently(app, () => portal.remove('/sdt/sdts/{id}', { params: { id } })).then(() => true),
      ))
    )
      return false
  app.live.refresh()
  return true
}

/** Removes the acknowledgement of alerts; those that have cleared since need none. */
export async function unack(app: App, alertIds: string[]): Promise<boolean> {
  const done = await write(app, text.act.staysAcked, async (portal) =>
    succeeded(alertIds, await patiently(app, () => portal.create('/alert/alerts/unack', { alertIds }))),
  )
  if (done) app.live.refresh()
  return done !== undefined
}

interface Results {
  results: { ok: boolean; error: unknown }[]
}

/** Returns the ids for which a request for several succeeded; throws the first error if it did for none. */
export function succeeded(ids: string[], { results }: Results): string[] {
  const done = ids.filter((_, i) => results[i].ok)
  if (!done.length) throw new Fault((results[0].error as { errorMessage: string }).errorMessage)
  return done
}
