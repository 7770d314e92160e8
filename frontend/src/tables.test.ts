import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

interface Table {
  /** The folder with the declarations of the entries, and the pattern of an id in them. */
  folder: string
  id: RegExp
  /** Files of the page in which the words have another meaning, with that meaning. */
  other?: Record<string, string>
}

/**
 * Tables that Go declares and the page requests. The page must not list their ids, so that a new entry in Go appears
 * without a change of the page.
 */
const tables: Record<string, Table> = {
  'snippet languages': { folder: '../app/snippet', id: /^\tID: "(?<id>[\w-]+)", Label:/gm },
  'file formats': { folder: '../app/exchange', id: /^\tID: "(?<id>[\w-]+)", Label:/gm },
  'report types': { folder: '../backend/portal/reporting', id: /^\tReport\w+ += "(?<id>[^"]+)"$/gm },
  checks: {
    folder: '../backend/check',
    id: /^\t\tName: "(?<id>\w+)", Title:/gm,
    other: { 'src/monitor/settings/text.ts': 'integrations by mail or HTTP, with a host and TLS' },
  },
}

async function sources(folder: string, ending: RegExp): Promise<Map<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((f) => ending.test(f))
  return new Map(
    await Promise.all(
      files.map(async (f) => [`${folder}/${f}`, await readFile(`${folder}/${f}`, 'utf8')] as [string, string]),
    ),
  )
}

/** Up to this number of ids in one place are not a list: the code means one entry, or something else. */
const few = 2
/** The maximum distance between keys or values of a list, in characters. */
const near = 400

/** Returns the ids that a source lists, as values or keys close together, or as words of a text. */
function listed(source: string, ids: string[]): string[] {
  const escaped = ids.map((id) => id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const exact = new RegExp(`(['"\`])(?<value>${escaped.join('|')})\\1|\\b(?<key>${escaped.join('|')}):`, 'g')
  const found = Array.from(source.matchAll(exact), (m) => ({ id: m.groups!.value ?? m.groups!.key, at: m.index }))
  const lists = found.map(({ at }) => found.filter((f) => f.at >= at && f.at < at + near).map((f) => f.id))
  const word = new RegExp(`\\b(?:${escaped.join('|')})\\b`, 'gi')
  for (const [text] of source.matchAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g))
    lists.push((text.match(word) ?? []).map((w) => w.toLowerCase()))
  return lists.map((list) => [...new Set(list)]).find((list) => list.length > few) ?? []
}

test.each(Object.entries(tables))('the page has no list of %s of its own', async (_, { folder, id, other = {} }) => {
  const go = [...(await sources(folder, /(?<!_test)\.go$/)).values()]
  const ids = go.flatMap((source) => Array.from(source.matchAll(id), (m) => m.groups!.id))
  expect(ids.length).toBeGreaterThan(5)
  const lists = [...(await sources('src', /(?<!\.(?:test|gen))\.ts$|\.svelte$/))]
    .filter(([file]) => !file.startsWith('src/fakes/') && !(file in other))
    .map(([file, source]) => [file, listed(source, ids)] as const)
  expect(Object.fromEntries(lists.filter(([, list]) => list.length))).toEqual({})
})

test.each([
  ["const languages = ['curl', 'python', 'go']", ['curl', 'python', 'go']],
  ['const names = {\n  curl: 1,\n  python: 2,\n  go: 3,\n}', ['curl', 'python', 'go']],
  ["words: 'snippets cURL Python go'", ['curl', 'python', 'go']],
  ["run('curl')\nrun('python')", []],
  [`run('curl')\nrun('python')\n${' '.repeat(near)}run('go')`, []],
  ["text('a curly python goes')", []],
])('a list is recognised: %j', (source, found) => expect(listed(source, ['curl', 'python', 'go'])).toEqual(found))
