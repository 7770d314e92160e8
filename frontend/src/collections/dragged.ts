import { homeOf, parentOf, type Item, type Library } from '../state/collections/library.svelte'

export type Where = 'before' | 'behind' | 'into'

/** The rows that are dragged over the collections. Their possible targets are computed once. */
export class Dragged {
  readonly #places: Set<number>

  constructor(
    library: Pick<Library, 'placesFor'>,
    readonly item: Item,
    readonly all: Item[],
  ) {
    this.#places = new Set(library.placesFor(all).map((p) => p.id))
  }

  /**
   * Returns the target of a drop at `part` of a row's height, or below all rows; undefined if it is
   * not allowed. Items can be dropped beside items of their kind, several into a collection.
   */
  aim(to: Item | undefined, part: number): Where | undefined {
    const home = to ? homeOf(to) : 0
    const into = this.#places.has(home) && !this.all.every((i) => parentOf(i) === home) ? 'into' : undefined
    if (!to || this.all.length > 1 || to.kind !== this.item.kind) return into
    if (to.key === this.item.key || !this.#places.has(parentOf(to))) return undefined
    const edge = to.kind === 'folder' ? 0.3 : 0.5
    if (part < edge) return 'before'
    return part >= 1 - edge && !(to.kind === 'folder' && to.open) ? 'behind' : into
  }
}
