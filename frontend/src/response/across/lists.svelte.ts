/** A list of two portals: objects in only one of them, differences, and the creation of missing objects. */
import { asFault, type DraftData, type PagesProgress } from '../../client'
import type { AcrossClient, ListRow, Lists } from '../../client/across'
import type { BatchProgress, Ran } from '../../client/collections'

export type Kind = ListRow['kind']
export const kinds: readonly Kind[] = ['here', 'there', 'different', 'same']

/** Objects that are created at a time. */
export const mostCreated = 500

/** The other portal, where objects are created and their creation is undone. */
export interface There {
  readonly id: number
  readonly client: Pick<AcrossClient, 'createListed'>
  undo(historyId: number): Promise<unknown>
}

/** The result of one creation. `undone` says why it cannot be undone; '' once it is. */
export interface Made extends Ran {
  undone?: string
}

/** Whether a creation can be undone now. */
export const undoable = (one: Made) => !one.problem && one.historyId > 0 && one.undone !== ''

export class ListComparison {
  readonly id = crypto.randomUUID()
  result = $state.raw<Lists>()
  problem = $state('')
  progress = $state.raw<PagesProgress>()
  /** The kinds of rows to show. */
  shown = $state.raw<readonly Kind[]>(['here', 'there', 'different'])
  /** Keys of the selected objects. */
  chosen = $state.raw<ReadonlySet<string>>(new Set())
  /** The results of the creation, in the order they arrive. */
  made = $state.raw<readonly Made[]>([])
  /** The number of objects to create; 0 before the creation. */
  planned = $state(0)
  busy = $state(false)
  readonly rows: readonly ListRow[] = $derived.by(
    () => this.result?.rows.filter((r) => this.shown.includes(r.kind)) ?? [],
  )
  /** Objects that can be created, by key. */
  readonly missing: ReadonlyMap<string, ListRow> = $derived.by(
    () => new Map(this.result?.create ? this.result.rows.filter((r) => r.kind === 'here').map((r) => [r.key, r]) : []),
  )
  /** The objects to create: the selected ones, or all. */
  readonly plan: readonly ListRow[] = $derived.by(() =>
    [...this.missing.values()].filter((r) => !this.chosen.size || this.chosen.has(r.key)),
  )
  readonly failed = $derived(this.made.filter((m) => m.problem).length)
  #batch = ''
  #end: AbortController | undefined

  constructor(
    private readonly client: Pick<AcrossClient, 'compareLists'>,
    private readonly there: There,
    private readonly draft: DraftData,
  ) {}

  /** Reads and compares both lists; without a key, Go chooses one. */
  compare(key = '') {
    this.chosen = new Set()
    this.made = []
    this.planned = 0
    return this.#run(async (signal) => {
      const { id, draft, there } = this
      const result = await this.client.compareLists({ sendId: id, draft, other: there.id, key }, signal)
      if (!signal.aborted) this.result = result
    })
  }

  /** Selects an object with its dependencies, or clears it with its dependents. */
  toggle(key: string) {
    if (!this.missing.has(key)) return
    const next = new Set(this.chosen)
    const add = (one: string) => {
      if (next.has(one) || !this.missing.has(one)) return
      next.add(one)
      for (const need of this.missing.get(one)!.needs) add(need.key)
    }
    const remove = (one: string) => {
      if (!next.delete(one)) return
      for (const row of this.missing.values()) if (row.needs.some((n) => n.key === one)) remove(row.key)
    }
    if (next.has(key)) remove(key)
    else add(key)
    this.chosen = next
  }

  clear() {
    this.chosen = new Set()
  }

  show(kind: Kind) {
    this.shown = this.shown.includes(kind) ? this.shown.filter((k) => k !== kind) : [...this.shown, kind]
  }

  /** Creates the objects of the plan in the other portal, one after the other. */
  create() {
    const [plan, path] = [this.plan, this.result?.create]
    if (!plan.length || plan.length > mostCreated || !path || this.busy) return
    this.#batch = crypto.randomUUID()
    this.made = []
    this.planned = plan.length
    return this.#run(async (signal) => {
      const objects = plan.map(({ key, body, needs }) => ({ key, body, needs }))
      const { results } = await this.there.client.createListed({ batchId: this.#batch, path, objects }, signal)
      this.made = results
    })
  }

  /** Takes the result of one creation; also of the last one after a cancellation. */
  hear({ batchId, result }: BatchProgress) {
    if (batchId === this.#batch && this.planned && !this.made.some((r) => r.at === result.at))
      this.made = [...this.made, result]
  }

  /** Undoes one creation, or records why it cannot be undone. */
  async undo(one: Made) {
    let undone = ''
    try {
      await this.there.undo(one.historyId)
    } catch (e) {
      undone = asFault(e).message
    }
    this.made = this.made.map((m) => (m.at === one.at ? { ...m, undone } : m))
  }

  /** Undoes all creations, the last one first. */
  async undoAll() {
    for (const one of [...this.made].reverse()) if (undoable(one)) await this.undo(one)
  }

  cancel() {
    this.#end?.abort()
    this.busy = false
  }

  async #run(what: (signal: AbortSignal) => Promise<void>) {
    this.cancel()
    const { signal } = (this.#end = new AbortController())
    this.busy = true
    this.problem = ''
    try {
      await what(signal)
    } catch (e) {
      if (!signal.aborted) this.problem = asFault(e).message
    }
    this.progress = undefined
    if (!signal.aborted) this.busy = false
  }
}
