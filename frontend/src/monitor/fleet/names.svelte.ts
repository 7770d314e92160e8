import { SvelteMap } from 'svelte/reactivity'
import type { App } from '../../state/app.svelte'
import { whyNot } from '../form/may'
import { text } from './text'

export interface GroupName {
  name: string
  fullPath: string
  /** An expression selects its devices. */
  dynamic: boolean
}

export interface CollectorName {
  name: string
  down: boolean
}

/** The names of groups and collectors of the rows in view, requested once, several in a call. */
export class Names {
  readonly groups = new SvelteMap<number, GroupName>()
  readonly collectors = new SvelteMap<number, CollectorName>()
  /** Whether it matters which collector polls a device: several do, or the only one is down. */
  several = $state(false)
  #requested = new Set<number>()
  #wanted = new Set<number>()

  constructor(private app: App) {}

  /** Requests the names of these groups. */
  want(ids: Iterable<number>) {
    for (const id of ids) if (!this.#requested.has(id)) this.#wanted.add(id)
    if (this.#wanted.size) queueMicrotask(() => void this.#loadGroups())
  }

  async #loadGroups() {
    const ids = [...this.#wanted].slice(0, 200)
    for (const id of ids) {
      this.#wanted.delete(id)
      this.#requested.add(id)
    }
    if (!ids.length) return
    const filter = `id:${ids.join('|')}`
    const found = await this.app.client.monitor
      .list('/device/groups', { query: { filter, size: ids.length, fields: 'id,name,fullPath,groupType' } })
      .catch(() => undefined)
    if (!found) for (const id of ids) this.#requested.delete(id) // requested again with the next rows
    for (const g of found?.items ?? [])
      this.groups.set(g.id, { name: g.name, fullPath: g.fullPath || g.name, dynamic: g.groupType === 'Dynamic' })
  }

  /** Users without access to collectors see their numbers. */
  async loadCollectors() {
    if (whyNot(this.app, 'GET', '/setting/collectors')) return
    const found = await this.app.client.monitor
      .list('/setting/collectors', { query: { size: 1000, fields: 'id,description,hostname,isDown,numberOfHosts' } })
      .catch(() => undefined)
    const busy = found?.items.filter((c) => c.numberOfHosts > 0) ?? []
    this.several = busy.length > 1 || busy.some((c) => c.isDown)
    for (const c of found?.items ?? [])
      this.collectors.set(c.id, { name: c.description || c.hostname || text.collector(c.id), down: c.isDown })
  }

  collector(id: number): string {
    return this.collectors.get(id)?.name ?? text.collector(id)
  }
}
