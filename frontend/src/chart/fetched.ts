/** Looks up instances whose data was requested by ids: the response has neither their devices nor their thresholds. */
import type { Client, Listing } from '../client'
import { quoted } from '../state/request/objects'
import { deviceOf, instancesOf, limitsIn, settingsOf, together, type Instance, type Limit } from './limits'
import { keyOf, lookUpWindows, type Maintenance } from './maintenance'

type Door = Pick<Client, 'lookup' | 'windows' | 'filter'>

/** An instance of the response, with its address. */
interface Placed extends Instance {
  device: string
}

export const isFetched = (url: string) => /\/device\/instances\/datafetch(?:[?#]|$)/.test(url)

/** Returns the instances of a response that still exist. */
export async function lookUpFetched(door: Door, document: string, signal: AbortSignal): Promise<Placed[]> {
  const texts = async (key: string) =>
    (await door.filter(document, `$.items[*].${key}`, signal)).rows.flatMap((r) =>
      r.kind === 'string' ? [r.text ?? ''] : [],
    )
  const [ids, sources] = await Promise.all([texts('instanceId'), texts('dataSourceName')])
  let left = ids.flatMap((id, i) => (sources[i] ? [{ id, source: sources[i] }] : []))
  if (!left.length) return []
  const names = [...new Set(left.map((i) => i.source))]
  const { items } = await door.lookup<Listing<{ name: string; graphs: { id: number }[] }>>(
    '/setting/datasources',
    { filter: `name:${names.map(quoted).join('|')}`, fields: 'name,graphs', size: '1000' },
    signal,
  )
  const graphs = new Map(items.flatMap((s) => s.graphs.slice(0, 1).map((g) => [s.name, String(g.id)])))
  const placed: Placed[] = []
  // The graph of an instance has its device, whose other instances are then known, too. Most
  // responses have few devices, so the number of parallel requests grows.
  for (let atOnce = 1; ; atOnce *= 2) {
    const seeds = left.filter((i) => graphs.get(i.source)).slice(0, atOnce)
    if (!seeds.length) return placed
    const devices = new Set(
      (await Promise.all(seeds.map((i) => deviceOf(door, i.id, graphs.get(i.source)!, signal)))).filter(Boolean),
    )
    const ids = left.map((i) => i.id)
    const found = await Promise.all(
      [...devices].map(async (device) =>
        (await instancesOf(door, { device }, signal, ids)).map((i) => ({ ...i, device })),
      ),
    )
    placed.push(...found.flat())
    left = left.filter((i) => !seeds.includes(i) && !placed.some((p) => String(p.id) === i.id))
  }
}

/** Returns the names of the lines, of which the response has only ids, with the device if there are several. */
export function namesOf(placed: readonly Placed[]): Map<string, string> {
  const several = new Set(placed.map((p) => p.device)).size > 1
  const own = (p: Placed) =>
    (several ? [p.deviceDisplayName, p.displayName] : [p.displayName]).filter(Boolean).join(' ')
  return new Map(placed.map((p) => [String(p.id), own(p) || String(p.id)]))
}

/** Returns the thresholds of all instances; `drawn` is the number of instances in the response. */
export async function lookUpFetchedLimits(
  door: Door,
  placed: readonly Placed[],
  drawn: number,
  signal: AbortSignal,
): Promise<Limit[]> {
  const settings = (
    await Promise.all(
      groups(placed, (i) => i.device).map((of) =>
        settingsOf(
          door,
          of[0].device,
          of.map((i) => i.id),
          signal,
        ),
      ),
    )
  ).flat()
  const having = (point: string) =>
    placed.length < drawn ? -1 : settings.filter((s) => s.dataPointName === point).length
  return together(
    settings.flatMap((s) => limitsIn(s, String(s.dataSourceInstanceId))),
    having,
  )
}

/** Returns the maintenance of any instance, with its owner unless it applies to all. */
export async function lookUpFetchedMaintenance(
  door: Door,
  placed: readonly Placed[],
  range: { from: number; to: number },
  signal: AbortSignal,
  now = Date.now(),
): Promise<Maintenance[]> {
  const found = new Map<string, { window: Maintenance; of: Set<Instance> }>()
  await Promise.all(
    groups(placed, (i) => `${i.device} ${i.deviceDataSourceId}`).map(async (among) => {
      const at = { device: among[0].device, source: String(among[0].deviceDataSourceId) }
      for (const { only, ...window } of await lookUpWindows(door, at, among, range, signal, now)) {
        const one = found.get(keyOf(window)) ?? { window, of: new Set() }
        for (const i of only ?? among) one.of.add(i)
        found.set(keyOf(window), one)
      }
    }),
  )
  return [...found.values()].map(({ window, of }) =>
    of.size === placed.length ? window : { ...window, of: whose(placed, of) },
  )
}

/**
 * Returns the names of devices if all of their instances are included, and otherwise of instances.
 */
function whose(placed: readonly Placed[], of: Set<Instance>): string {
  const names = namesOf(placed)
  const devices = groups(placed, (i) => i.device)
  return devices
    .flatMap((all) => {
      const meant = all.filter((i) => of.has(i))
      const whole = devices.length > 1 && meant.length === all.length && all[0].deviceDisplayName
      return whole ? [whole] : meant.map((i) => names.get(String(i.id))!)
    })
    .join(', ')
}

function groups<T>(all: readonly T[], by: (one: T) => string): T[][] {
  const found = new Map<string, T[]>()
  for (const one of all) found.set(by(one), [...(found.get(by(one)) ?? []), one])
  return [...found.values()]
}
