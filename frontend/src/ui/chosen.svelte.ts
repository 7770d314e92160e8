/** The selected lines of a list, by id; a range extends from the last selection. */
export class Chosen<Id extends string | number> {
  ids = $state.raw<ReadonlySet<Id>>(new Set())
  #anchor: Id | undefined

  flip(id: Id) {
    const next = new Set(this.ids)
    if (!next.delete(id)) next.add(id)
    this.#anchor = id
    this.ids = next
  }

  /** Selects all from the anchor to id, in the order of the list. */
  reach(id: Id, list: { id: Id }[]) {
    const to = list.findIndex((h) => h.id === id)
    const anchor = list.findIndex((h) => h.id === this.#anchor)
    const from = anchor < 0 ? to : anchor
    if (anchor < 0) this.#anchor = id
    this.ids = new Set([...this.ids, ...list.slice(Math.min(from, to), Math.max(from, to) + 1).map((h) => h.id)])
  }

  /** Sets the start of a range selected by keyboard. */
  begin(id: Id) {
    if (this.ids.size === 0) this.#anchor = id
  }

  all(list: { id: Id }[]) {
    this.ids = new Set(list.map((h) => h.id))
  }

  clear() {
    this.ids = new Set()
    this.#anchor = undefined
  }
}
