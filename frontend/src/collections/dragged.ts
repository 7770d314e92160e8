import { homeOf, parentOf, type Item, type Library } from '../state/collections/library.svelte'

export type Where = 'before' | 'behind' | 'into'

/** What is dragged over the collections: a line, and all that goes with it. Where it may go is looked up once. */
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
   * What a drop would do at `part` of a line's height, or in the room below all; nothing
   * where it makes no sense. Like goes beside like, several go into a collection.
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
