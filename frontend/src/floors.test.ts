import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

/**
 * The layers (floors) of the page, the lowest first; '' contains the files directly in src. A file imports only from
 * its own folder and from lower layers; folders in the same layer do not import each other. Add each new folder to a
 * layer here, and to the map in the README.
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

/** Imports of higher layers that remain, as `from to`, each with its reason. Do not add to this list. */
const exceptions: Record<string, string> = {}

const imports =
  /\b(?:import|export)\s[^'"`;]*?\bfrom\s*['"](?<from>[^'"]+)['"]|^\s*import\s*['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<later>[^'"]+)['"]/gm

/** Returns the relative imports of a source, including types and dynamic imports. */
function importsOf(source: string): string[] {
  const all = [...source.matchAll(imports)].map(({ groups }) => groups!.from ?? groups!.bare ?? groups!.later)
  return all.filter((path) => path.startsWith('.'))
}

/** Returns the folder of a file in src. Each folder in state counts separately. */
function roomOf(file: string): string {
  const folders = posix.dirname(file).split('/')
  if (folders[0] === '.') return ''
  return folders.slice(0, folders[0] === 'state' ? 2 : 1).join('/')
}

const floorOf = (room: string) => floors.findIndex((rooms) => rooms.includes(room))

/** The imported files of each file. */
type House = Map<string, string[]>

/**
 * Returns the imports from a higher layer, or from another folder in the same layer. Tests may import from all layers
 * but the top one.
 */
function upward(house: House): string[] {
  const roof = floors.length - 1
  return [...house].flatMap(([file, targets]) => {
    const at = file.endsWith('.test.ts') ? roof : floorOf(roomOf(file))
    return targets.filter((to) => roomOf(to) !== roomOf(file) && floorOf(roomOf(to)) >= at).map((to) => `${file} ${to}`)
  })
}

/** Returns the groups of files that import each other, directly or indirectly. */
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
