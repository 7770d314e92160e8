import { expect, test } from 'vitest'
import { fakeShelf } from '../../fakes/shelf'
import { emptyDraft } from '../request/draft.svelte'
import { Library, nameOf, type Item } from './library.svelte'
import { isShared, mayChange } from './shared'

async function begin() {
  const library = new Library({ collections: fakeShelf() })
  await library.load()
  const all = () => library.items(new Set(library.folders.map((f) => f.id)))
  const shown = () => all().map((i) => `${i.level} ${i.kind === 'folder' ? i.folder.name : nameOf(i.request)}`)
  const pick = (...names: string[]): Item[] =>
    library.chosen(
      new Set(
        all()
          .filter((i) => names.includes(i.kind === 'folder' ? i.folder.name : nameOf(i.request)))
          .map((i) => i.key),
      ),
    )
  return { library, shown, pick }
}

const before = ['1 Fleet checks', '2 Writes', '3 POST /sdt/sdts', '2 Dead devices']

test('items in a selected folder are not selected twice', async () => {
  const { shown, pick } = await begin()
  expect(shown()).toEqual(before)
  expect(pick('Writes', 'POST /sdt/sdts', 'Dead devices').map((i) => i.key)).toEqual(['f2', 'r3'])
  expect(pick('POST /sdt/sdts', 'Dead devices').map((i) => i.key)).toEqual(['r4', 'r3'])
})

test('opening during a save opens the saved version', async () => {
  const { library } = await begin()
  const { updateRequest } = library.client.collections
  let arrive = () => {}
  const onTheWay = new Promise<void>((done) => (arrive = done))
  library.client.collections.updateRequest = async (id, change) => {
    await onTheWay
    return updateRequest(id, change)
  }
  const saving = library.save(3, 'Dead ones', { ...emptyDraft(), path: '/device/groups' })
  const opening = library.request(3)
  arrive()
  expect((await opening).draft.path).toBe('/device/groups')
  expect((await saving).name).toBe('Dead ones')
})

test('data read during a change is read again after it', async () => {
  const { library, shown, pick } = await begin()
  const { tree, move } = library.client.collections
  const fresh = await library.createFolder('Fresh', 0)
  const early = await tree()
  let arrive = () => {}
  const onTheWay = new Promise<void>((done) => (arrive = done))
  library.client.collections.tree = () => onTheWay.then(() => early)
  const reading = library.load()
  library.client.collections.tree = tree
  // the first response arrives after the move
  library.client.collections.move = (...what) => move(...what).finally(() => setTimeout(arrive))
  await library.moveAll(pick('Dead devices'), fresh.id)
  await reading
  expect(shown()).toEqual(['1 Fleet checks', '2 Writes', '3 POST /sdt/sdts', '1 Fresh', '2 Dead devices'])
})

test('several items are moved, and the move is undone', async () => {
  const { library, shown, pick } = await begin()
  const fresh = await library.createFolder('Fresh', 0)
  const back = await library.moveAll(pick('Writes', 'Dead devices'), fresh.id)
  expect(shown()).toEqual(['1 Fleet checks', '1 Fresh', '2 Writes', '3 POST /sdt/sdts', '2 Dead devices'])
  await back()
  expect(shown()).toEqual([...before, '1 Fresh'])
})

test('a failed move moves nothing', async () => {
  const { library, shown, pick } = await begin()
  const fresh = await library.createFolder('Fresh', 0)
  const move = library.client.collections.move
  library.client.collections.move = (what, to, at) =>
    'request' in what && to === fresh.id ? Promise.reject(new Error('no room')) : move(what, to, at)
  await expect(library.moveAll(pick('Writes', 'Dead devices'), fresh.id)).rejects.toThrow('no room')
  expect(shown()).toEqual([...before, '1 Fresh'])
})

test('folders cannot be moved into themselves, or requests outside collections', async () => {
  const { library, pick } = await begin()
  expect(library.placesFor(pick('Writes')).map((p) => p.path)).toEqual(['Outside any collection', 'Fleet checks'])
  expect(library.placesFor(pick('Writes', 'Dead devices')).map((p) => p.path)).toEqual(['Fleet checks'])
})

test('a request is shown by name, or by method and path, and a deleted one by neither', () => {
  expect(nameOf({ name: 'Dead devices', method: 'GET', path: '/device/devices' })).toBe('Dead devices')
  expect(nameOf({ name: '', method: 'GET', path: '/device/devices' })).toBe('GET /device/devices')
  expect(nameOf({ name: '', method: '', path: '' })).toBe('')
})

test('shared collections are grouped by user, and can be changed only if allowed', async () => {
  const collections = fakeShelf()
  const tree = await collections.tree()
  const shared = (id: number, name: string, more: object) => ({ id, name, parentId: 0, doc: '', ...more })
  collections.tree = () =>
    Promise.resolve({
      folders: [
        ...tree.folders,
        shared(91, 'Theirs', { ownerId: 7, owner: 'ana', locked: true }),
        shared(92, 'Open', { parentId: 91 }),
        shared(93, 'More', { ownerId: 7, owner: 'ana' }),
      ],
      requests: tree.requests,
    })
  const library = new Library({ collections })
  await library.load()
  const items = library.items(new Set([91]))
  const item = (id: number) => items.find((i) => i.kind === 'folder' && i.folder.id === id)!
  expect(items.slice(-4).map((i) => i.kind === 'folder' && `${i.level} ${i.folder.name}`)).toEqual([
    '1 Shared by ana',
    '2 Theirs',
    '3 Open',
    '2 More',
  ])
  expect([-7, 91, 92, 93].filter((id) => library.mayAdd(id))).toEqual([92, 93])
  expect(mayChange(library, item(93))).toBe(false) // the shared collection itself
  expect([1, 91, 92].map((id) => library.ownerOf(id))).toEqual([0, -7, -7])
  expect(isShared(library, 92) && !isShared(library, 1)).toBe(true)
  const own = library.placesFor([items[0]]).map((p) => p.path)
  expect(own.some((path) => path.startsWith('Shared by'))).toBe(false)
})
