import { expect, test, vi } from 'vitest'
import { fakeShelf } from '../fakes/shelf'
import { Dragged } from './dragged'
import { Library, nameOf, type Item } from '../state/collections/library.svelte'

async function begin() {
  const library = new Library({ collections: fakeShelf() })
  await library.load()
  const items = library.items(new Set(library.folders.map((f) => f.id)))
  const line = (name: string) => items.find((i) => (i.kind === 'folder' ? i.folder.name : nameOf(i.request)) === name)
  const drag = (...names: string[]) =>
    new Dragged(
      library,
      line(names[0])!,
      names.map((n) => line(n) as Item),
    )
  return { library, line, drag }
}

test.each([
  { drag: ['Dead devices'], to: 'Writes', part: 0.5, where: 'into' },
  { drag: ['Dead devices'], to: 'Fleet checks', part: 0.5, where: undefined }, // already in that folder
  { drag: ['Dead devices'], to: 'POST /sdt/sdts', part: 0.4, where: 'before' },
  { drag: ['Dead devices'], to: 'POST /sdt/sdts', part: 0.6, where: 'behind' },
  { drag: ['Dead devices'], to: 'Dead devices', part: 0.5, where: undefined },
  { drag: ['Dead devices'], to: '', part: 0, where: undefined }, // a request must be in a collection
  { drag: ['Writes'], to: 'Fleet checks', part: 0.1, where: 'before' },
  { drag: ['Writes'], to: 'Fleet checks', part: 0.9, where: undefined }, // its contents are below
  { drag: ['Writes'], to: '', part: 0, where: 'into' },
  { drag: ['Fleet checks'], to: 'Writes', part: 0.5, where: undefined }, // not into itself
  { drag: ['Dead devices', 'POST /sdt/sdts'], to: 'POST /sdt/sdts', part: 0.1, where: 'into' },
])('$drag over $part of “$to” goes $where', async ({ drag: names, to, part, where }) => {
  const { line, drag } = await begin()
  expect(drag(...names).aim(line(to), part)).toBe(where)
})

test('drop targets are looked up once per drag', async () => {
  const { library, line, drag } = await begin()
  const looked = vi.spyOn(library, 'placesFor')
  const dragged = drag('Dead devices')
  for (const to of ['Writes', 'POST /sdt/sdts', 'Fleet checks'])
    for (const part of [0.1, 0.5, 0.9]) dragged.aim(line(to), part)
  expect(looked).toHaveBeenCalledTimes(1)
})
