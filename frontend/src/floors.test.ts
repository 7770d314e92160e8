import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

/**
 * The floors of the page, the lowest first; '' is the files of src itself. A file imports only from its own room and
 * from floors below; folders on one floor do not import each other. A new folder needs a floor here, and
 * a line in README's map.
 */
const floors = [
  ['client'],
  ['ui'],
  ['state/catalog', 'state/monitor', 'state/collections'],
  ['state/request'],
  ['state/response'],
  ['state/tabs'],
  ['state/portals', 'state/sending'],
  ['state'],
  ['catalog', 'chart', 'portals', 'sending', 'settings', 'variables'],
  ['collections', 'welcome'],
  ['request', 'sidebar', 'signin', 'tabs'],
  ['monitor'],
  ['response'],
  ['palette'],
  ['fakes'],
  [''],
]

/** Imports that go up for now, as `from to`, each with its reason. The list may only become shorter. */
const exceptions: Record<string, string> = {}

const imports =
  /\b(?:import|export)\s[^'"`;]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^\s*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<later>[^'"]+)['"]/gm

/** What a source imports of ours, types and what is loaded later included. */
function importsOf(source: string): string[] {
  const all = [...source.matchAll(imports)].map(({ groups }) => groups!.from ?? groups!.bare ?? groups!.later)
  return all.filter((path) => path.startsWith('.'))
}

/** The room of a file: its folder in src; of state, the folders in it are rooms of their own. */
function roomOf(file: string): string {
  const folders = posix.dirname(file).split('/')
  if (folders[0] === '.') return ''
  return folders.slice(0, folders[0] === 'state' ? 2 : 1).join('/')
}

const floorOf = (room: string) => floors.findIndex((rooms) => rooms.includes(room))

/** The imports of each file, as files. */
type House = Map<string, string[]>

/**
 * The imports that lead to a floor above, or to another room on the same one. Tests may import what is below the
 * roof.
 */
function upward(house: House): string[] {
  const roof = floors.length - 1
  return [...house].flatMap(([file, targets]) => {
    const at = file.endsWith('.test.ts') ? roof : floorOf(roomOf(file))
    return targets.filter((to) => roomOf(to) !== roomOf(file) && floorOf(roomOf(to)) >= at).map((to) => `${file} ${to}`)
  })
}

/** The groups of files that import each other, directly or by way of others. */
function circles(house: House): string[][] {
  const found: string[][] = []
  const place = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const visit = (file: string) => {
    place.set(file, place.size)
    lowest.set(file, place.get(file)!)
    open.push(file)
    for (const to of house.get(file) ?? []) {
      if (!place.has(to)) visit(to)
      if (open.includes(to)) lowest.set(file, Math.min(lowest.get(file)!, lowest.get(to)!))
    }
    if (lowest.get(file) !== place.get(file)) return
    const circle = open.splice(open.indexOf(file))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const file of house.keys()) if (!place.has(file)) visit(file)
  return found
}

async function read(): Promise<House> {
  const src = new URL('./', import.meta.url)
  const files = (await readdir(src, { recursive: true })).filter((f) => /\.(ts|svelte|css)$/.test(f))
  const there = new Set(files)
  const fileOf = (from: string, path: string) => {
    const to = posix.join(posix.dirname(from), path)
    const file = [to, `${to}.ts`, `${to}/index.ts`].find((f) => there.has(f))
    if (!file) throw new Error(`${from} imports ${path}, which is no file of src.`)
    return file
  }
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, string[]]> => {
        const source =
          file.endsWith('.css') || file === 'floors.test.ts' ? '' : await readFile(new URL(file, src), 'utf8')
        return [file, importsOf(source).map((path) => fileOf(file, path))]
      }),
    ),
  )
}

const house = await read()

test('every folder is on a floor', () => {
  expect([...new Set([...house.keys()].map(roomOf))].filter((room) => floorOf(room) < 0)).toEqual([])
})

test('every floor has its folders', () => {
  const rooms = new Set([...house.keys()].map(roomOf))
  expect(floors.flat().filter((room) => !rooms.has(room))).toEqual([])
})

test('every import goes to a lower floor', () => {
  expect(upward(house).filter((one) => !exceptions[one])).toEqual([])
})

test('every exception is still needed, and says why', () => {
  const needed = new Set(upward(house))
  expect(Object.entries(exceptions).filter(([one, why]) => !needed.has(one) || !why)).toEqual([])
})

test('no files import each other in a circle', () => {
  expect(circles(house)).toEqual([])
})

test('imports of values, types and styles, and dynamic imports are found, and nothing else', () => {
  const source =
    "import a, {\n  b,\n} from './a'\nimport type { C } from '../c'\nimport './d.css'\nexport type * from './e'\nconst f = () => import('./f.svelte')\n"
  expect(importsOf(`${source}import x from 'svelte'\nconst text = 'imported from'\nlet g: import("./g").G`)).toEqual([
    './a',
    '../c',
    './d.css',
    './e',
    './f.svelte',
    './g',
  ])
})

test('an import upward, one between neighbours and a circle are found', () => {
  const tree: House = new Map([
    ['ui/a.ts', ['state/b.ts', 'client/c.ts']],
    ['state/b.ts', ['ui/a.ts']],
    ['client/c.ts', []],
    ['tabs/d.svelte', ['request/e.ts']],
    ['request/e.ts', []],
    ['tabs/d.test.ts', ['palette/f.ts', 'main.ts']],
    ['main.ts', []],
  ])
  expect(upward(tree)).toEqual(['ui/a.ts state/b.ts', 'tabs/d.svelte request/e.ts', 'tabs/d.test.ts main.ts'])
  expect(circles(tree)).toEqual([['state/b.ts', 'ui/a.ts']])
})
