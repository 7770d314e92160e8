/** What is done to several devices at once: one transaction each, and how it is taken back. */
import { number } from '../../ui/locale'
import type { App } from '../../app.svelte'
import { write } from '../asked.svelte'
import { idsOf, type Device } from './devices'

interface Operation {
  op: 'patch' | 'delete'
  id: number
  body?: Record<string, unknown>
}

export const counted = (n: number) => `${number(n)} ${n === 1 ? 'device' : 'devices'}`

async function batch(app: App, what: string, operations: Operation[]): Promise<boolean> {
  return (await write(app, what, (portal) => portal.create('/device/devices/batch', { operations } as never))) !== undefined
}

/** Patches each device, and offers to put back what they had. */
async function patch(app: App, devices: Device[], what: string, done: string, change: (d: Device) => Record<string, unknown>, before: (d: Device) => Record<string, unknown>, after: () => void) {
  if (!(await batch(app, what, devices.map((d) => ({ op: 'patch', id: d.id, body: change(d) }))))) return
  after()
  app.toast(done, { action: { label: 'Undo', run: () => void batch(app, 'Not undone', devices.map((d) => ({ op: 'patch', id: d.id, body: before(d) }))).then(after) } })
}

export function setAlerting(app: App, devices: Device[], on: boolean, after: () => void) {
  const done = `Alerting is ${on ? 'on' : 'off'} for ${counted(devices.length)}`
  return patch(app, devices, 'Alerting not changed', done, () => ({ disableAlerting: !on }), (d) => ({ disableAlerting: d.disableAlerting }), after)
}

/** The groups a device is in after a move; those an expression decides about stay. */
export function moved(ids: number[], to: number, dynamic: (id: number) => boolean, keep: boolean): string {
  const kept = ids.filter((id) => dynamic(id) || (keep && id !== 1))
  return [to, ...kept.filter((id) => id !== to)].join(',')
}

export function moveTo(app: App, devices: Device[], to: { id: number; name: string }, dynamic: (id: number) => boolean, keep: boolean, after: () => void) {
  const done = `${counted(devices.length)} ${keep ? 'added to' : 'moved to'} ${to.name}`
  return patch(app, devices, 'Not moved', done, (d) => ({ hostGroupIds: moved(idsOf(d.hostGroupIds), to.id, dynamic, keep) }), (d) => ({ hostGroupIds: d.hostGroupIds }), after)
}

export async function remove(app: App, devices: Device[], after: () => void) {
  if (!(await batch(app, 'Not deleted', devices.map((d) => ({ op: 'delete', id: d.id }))))) return
  after()
  app.toast(`${counted(devices.length)} deleted, and kept in the recycle bin`, { action: { label: 'Undo', run: () => void restore(app, devices, after) } })
}

async function restore(app: App, devices: Device[], after: () => void) {
  for (const { id } of devices) if ((await write(app, 'Not restored', (portal) => portal.create('/device/recyclebin/{id}/restore', undefined, { params: { id } }))) === undefined) break
  after()
}

export interface Window {
  /** Epoch milliseconds. */
  from: number
  to: number
  comment: string
}

/** Plans maintenance of each device; nobody is told of their alerts meanwhile. */
export async function maintain(app: App, ids: number[], { from, to, comment }: Window, after: () => void): Promise<boolean> {
  const made: string[] = []
  for (const deviceId of ids) {
    const one = await write(app, 'Maintenance not planned', (portal) =>
      portal.create('/sdt/sdts', { type: 'ResourceSDT', sdtType: 'oneTime', deviceId, startDateTime: from, endDateTime: to, comment } as never))
    if (one === undefined) return false
    made.push((one as { id: string }).id)
  }
  after()
  const undo = async () => {
    for (const id of made) if ((await write(app, 'Not taken back', (portal) => portal.remove('/sdt/sdts/{id}', { params: { id } }).then(() => true))) === undefined) break
    after()
  }
  app.toast(`Maintenance is planned for ${counted(ids.length)}`, { action: { label: 'Undo', run: () => void undo() } })
  return true
}
