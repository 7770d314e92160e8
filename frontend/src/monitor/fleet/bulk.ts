/** Actions on several devices at once, in one transaction each, with undo. */
import type { App } from '../../state/app.svelte'
import { patiently, write } from '../requested.svelte'
import { idsOf, type Device } from './devices'
import { text } from './text'

/** Maximum devices in one transaction of the portal. */
export const mostAtOnce = 1000

interface Operation {
  op: 'patch' | 'delete'
  id: number
  body?: Record<string, unknown>
}

/** Called after an action, and after its undo. */
export type After = (what: 'done' | 'undone') => void

async function batch(app: App, what: string, operations: Operation[]): Promise<boolean> {
  return (
    (await write(app, what, (portal) => portal.create('/device/devices/batch', { operations } as never))) !== undefined
  )
}

/** Patches each device, and offers to restore the previous values. */
async function patch(
  app: App,
  devices: Device[],
  what: string,
  done: string,
  change: (d: Device) => Record<string, unknown>,
  before: (d: Device) => Record<string, unknown>,
  after: After,
) {
  if (
    !(await batch(
      app,
      what,
      devices.map((d) => ({ op: 'patch', id: d.id, body: change(d) })),
    ))
  )
    return
  after('done')
  app.toasts.show(done, {
    undo: async () => {
      const undone = await batch(
        app,
        text.notUndone,
        devices.map((d) => ({ op: 'patch', id: d.id, body: before(d) })),
      )
      after('undone')
      return undone
    },
  })
}

export function setAlerting(app: App, devices: Device[], on: boolean, after: After) {
  const done = (on ? text.alerting.on : text.alerting.off)(devices.length)
  return patch(
    app,
    devices,
    text.alerting.not,
    done,
    () => ({ disableAlerting: !on }),
    (d) => ({ disableAlerting: d.disableAlerting }),
    after,
  )
}

/** Returns the groups of a device after a move; it stays in dynamic groups. */
export function moved(ids: number[], to: number, dynamic: (id: number) => boolean, keep: boolean): string {
  const kept = ids.filter((id) => dynamic(id) || (keep && id !== 1))
  return [to, ...kept.filter((id) => id !== to)].join(',')
}

export function moveTo(
  app: App,
  devices: Device[],
  to: { id: number; name: string },
  dynamic: (id: number) => boolean,
  keep: boolean,
  after: After,
) {
  const done = (keep ? text.move.added : text.move.moved)(devices.length, to.name)
  return patch(
    app,
    devices,
    text.move.not,
    done,
    (d) => ({ hostGroupIds: moved(idsOf(d.hostGroupIds), to.id, dynamic, keep) }),
    (d) => ({ hostGroupIds: d.hostGroupIds }),
    after,
  )
}

export async function remove(app: App, devices: Pick<Device, 'id'>[], after: After) {
  if (
    !(await batch(
      app,
      text.removal.not,
      devices.map((d) => ({ op: 'delete', id: d.id })),
    ))
  )
    return
  after('done')
  app.toasts.show(text.removal.done(devices.length), { undo: () => restore(app, devices, after) })
}

async function restore(app: App, devices: Pick<Device, 'id'>[], after: After): Promise<boolean> {
  const restored = await all(devices, ({ id }) =>
    write(app, text.removal.notRestored, (portal) =>
      patiently(app, () => portal.create('/device/recyclebin/{id}/restore', undefined, { params: { id } })),
    ),
  )
  after('undone')
  return restored
}

/** Runs a step for each, until one fails by returning undefined; reports whether all succeeded. */
async function all<T>(each: readonly T[], step: (one: T) => Promise<unknown>): Promise<boolean> {
  for (const one of each) if ((await step(one)) === undefined) return false
  return true
}

export interface Window {
  /** Epoch milliseconds. */
  from: number
  to: number
  comment: string
}

/**
 * Plans maintenance of each device, during which its alerts send no notifications; with `group`, its name, of groups.
 */
export async function maintain(
  app: App,
  ids: number[],
  { from, to, comment }: Window,
  after: After,
  group?: string,
): Promise<boolean> {
  const made: string[] = []
  for (const id of ids) {
    const one = await write(app, text.maintenance.not, (portal) =>
      patiently(app, () =>
        portal.create('/sdt/sdts', {
          ...(group ? { type: 'ResourceGroupSDT', deviceGroupId: id } : { type: 'ResourceSDT', deviceId: id }),
          sdtType: 'oneTime',
          startDateTime: from,
          endDateTime: to,
          comment,
        } as never),
      ),
    )
    if (one === undefined) return false
    made.push((one as { id: string }).id)
  }
  after('done')
  const undo = async () => {
    const undone = await all(made, (id) =>
      write(app, text.maintenance.notUndone, (portal) =>
        patiently(app, () => portal.remove('/sdt/sdts/{id}', { params: { id } })).then(() => true),
      ),
    )
    after('undone')
    return undone
  }
  app.toasts.show(group ? text.maintenance.doneFor(group) : text.maintenance.done(ids.length), { undo })
  return true
}
