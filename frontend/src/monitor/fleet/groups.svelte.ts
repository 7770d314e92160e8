import { SvelteMap, SvelteSet } from 'svelte/reactivity'
import type { App } from '../../state/app.svelte'
import { asFault } from '../../client'
import { quoted } from './devices'

export const rootGroup = 1

export interface Group {
  id: number
  name: string
  fullPath: string
  parentId: number
  dynamic: boolean
  devices: number
  children: number
  alerts: { warn: number; error: number; critical: number }
}

/** A line of the tree. */
export interface Line {
  group: Group
  depth: number
  open: boolean
}

const fields = 'id,name,fullPath,parentId,groupType,numOfHosts,numOfDirectSubGroups,activeAlerts'
/** Maximum number of subgroups that a filter lists by id. */
const mostBelow = 1000

/** The tree of groups; children load when a group is expanded. */
export class Groups {
  readonly open = new SvelteSet<number>([rootGroup])
  problem = $state('')
  #of = new SvelteMap<number, Group[]>()
  #root = $state.raw<Group>()

  readonly lines: Line[] = $derived.by(() => {
    const lines: Line[] = []
    const add = (group: Group, depth: number) => {
      const open = this.open.has(group.id) && group.children > 0
      lines.push({ group, depth, open })
      if (open) for (const child of this.#of.get(group.id) ?? []) add(child, depth + 1)
    }
    if (this.#root) add(this.#root, 0)
    // A role that is limited to some groups may not view the root.
    else for (const group of this.#of.get(0) ?? []) add(group, 0)
    return lines
  })

  constructor(
    private app: App,
    open: readonly number[] = [],
  ) {
    for (const id of open) this.open.add(id)
  }

  find(id: number): Group | undefined {
    return this.lines.find((l) => l.group.id === id)?.group
  }

  /** Loads all expanded groups. */
  async load(signal?: AbortSignal) {
    try {
      const parents = [...this.open]
      const found = await this.#list(
        `id:"${rootGroup}"||parentId:${parents.map((id) => quoted(String(id))).join('|')}`,
        signal,
      )
      this.#root = found.find((g) => g.id === rootGroup)
      if (!this.#root) this.#of.set(0, tops(await this.#list('', signal)))
      for (const parent of parents)
        this.#of.set(
          parent,
          found.filter((g) => g.parentId === parent),
        )
      this.problem = ''
    } catch (e) {
      if (!asFault(e).cancelled) this.problem = asFault(e).message
    }
  }

  async show(group: Group, open = !this.open.has(group.id)) {
    if (!open) return void this.open.delete(group.id)
    if (!group.children) return
    if (!this.#of.has(group.id)) {
      try {
        this.#of.set(group.id, await this.#list(`parentId:"${group.id}"`))
      } catch (e) {
        return void (this.problem = asFault(e).message)
      }
    }
    this.open.add(group.id)
  }

  /** Expands the parents of a group, so that it is visible. */
  async reveal(id: number, signal?: AbortSignal) {
    if (id === rootGroup || this.find(id)) return
    const { fullPath } = await this.app.client.monitor.get('/device/groups/{id}', {
      params: { id },
      query: { fields: 'fullPath' },
      signal,
    })
    const names = fullPath.split('/').slice(0, -1)
    const above = names.map((_, i) => quoted(names.slice(0, i + 1).join('/')))
    this.open.add(rootGroup)
    if (above.length) for (const g of await this.#list(`fullPath:${above.join('|')}`, signal)) this.open.add(g.id)
    await this.load(signal)
  }

  /** Returns the ids of the group and its subgroups; undefined for all devices. */
  async within(id: number, signal?: AbortSignal): Promise<number[]> {
    if (!id || id === rootGroup) return []
    const path =
      this.find(id)?.fullPath ??
      (
        await this.app.client.monitor.get('/device/groups/{id}', {
          params: { id },
          query: { fields: 'fullPath' },
          signal,
        })
      ).fullPath
    const below = await this.app.client.monitor.list('/device/groups', {
      query: { filter: `fullPath:${quoted(`${path}/*`)}`, size: mostBelow, fields: 'id' },
      signal,
    })
    return [id, ...below.items.map((g) => g.id)]
  }

  async #list(filter: string, signal?: AbortSignal): Promise<Group[]> {
    const { items } = await this.app.client.monitor.list('/device/groups', {
      query: { filter, sort: 'name', size: 1000, fields },
      signal,
    })
    return items.map((g) => ({
      id: g.id,
      name: g.name,
      fullPath: g.fullPath,
      parentId: g.parentId,
      dynamic: g.groupType === 'Dynamic',
      devices: g.numOfHosts,
      children: g.numOfDirectSubGroups,
      alerts: { warn: g.activeAlerts.warn, error: g.activeAlerts.error, critical: g.activeAlerts.critical },
    }))
  }
}

/** Returns the groups without a parent in the list. */
export function tops(groups: Group[]): Group[] {
  const ids = new Set(groups.map((g) => g.id))
  return groups.filter((g) => !ids.has(g.parentId))
}
