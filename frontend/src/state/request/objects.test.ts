import { expect, test } from 'vitest'
import type { Endpoint, Schema } from '../../client'
import { findObjects, listObjects, objectList, objectName } from './objects'
import type { Lookups } from './lookups'

const numbers = [':', '!:', '>', '<']
const texts = [':', '!:', '~']

/** Returns the endpoint of a list whose items have a name and an id of a type. */
function listing(path: string, id: Schema['type']): Endpoint {
  const item: Schema = {
    type: 'object',
    properties: [
      { name: 'id', type: id, doc: '' },
      { name: 'name', type: 'string', doc: '' },
    ],
  }
  return {
    id: `GET ${path}`,
    method: 'GET',
    path,
    params: [
      {
        name: 'filter',
        in: 'query',
        type: 'string',
        required: false,
        doc: '',
        operators: [
          { fields: ['id'], ops: numbers },
          { fields: ['name'], ops: texts },
        ],
      },
    ],
    answer: { type: 'object', properties: [{ name: 'items', type: 'array', doc: '', items: item }] },
  } as unknown as Endpoint
}

/** Returns the filter of the request for a typed text. */
async function filterFor(
  path: string,
  id: Schema['type'],
  typed: string,
  find: typeof listObjects | typeof objectName = listObjects,
  names = ['name'],
) {
  const filters: (string | undefined)[] = []
  const lookups = {
    get: async (_: string, query: Record<string, string>) => (filters.push(query.filter), { items: [] }),
  } as unknown as Lookups
  const list = objectList(`${path}/{id}`, 'id', () => listing(path, id))!
  await (find as typeof listObjects)(lookups, { ...list, searchable: names }, path, typed, new AbortController().signal)
  return filters[0]
}

test.each<[string, Schema['type'], string, string | undefined]>([
  ['/device/devices', 'integer', '', undefined],
  ['/device/devices', 'integer', '7', 'id:7||name~"7"'],
  ['/device/devices', 'integer', 'web', 'name~"web"'],
  ['/device/devices', 'integer', 'SW1', 'name~"SW1"'],
  ['/device/devices', 'integer', ' web  "01" ', 'name~"web",name~"\\"01\\""'],
  ['/sdt/sdts', 'string', 'R_12', 'id:12||name~"R_12"'],
  ['/alert/alerts', 'string', '12', 'id:12||name~"12"'],
  ['/alert/alerts', 'string', 'web', 'name~"web"'],
])('in %s with ids of type %s, %j filters by %s', async (path, id, typed, want) => {
  expect(await filterFor(path, id, typed)).toBe(want)
})

test('words may match different names; a long text is searched as a phrase', async () => {
  const names = ['name', 'displayName']
  expect(await filterFor('/device/devices', 'integer', 'web 01', listObjects, names)).toBe(
    'name~"web",name~"01"||displayName~"web",name~"01"||name~"web",displayName~"01"||displayName~"web",displayName~"01"',
  )
  expect(await filterFor('/device/devices', 'integer', 'a b c d e', listObjects, names)).toBe(
    'name~"a b c d e"||displayName~"a b c d e"',
  )
})

test('the name of an id is requested by id', async () => {
  expect(await filterFor('/sdt/sdts', 'string', 'R_12', objectName)).toBe('id:12')
  expect(await filterFor('/device/devices', 'integer', '{{device}}', objectName)).toBe('id:{{device}}')
  expect(await filterFor('/device/devices', 'integer', 'web', objectName)).toBeUndefined()
})

test('the object with the exact id comes first', async () => {
  const lookups = {
    get: async () => ({
      items: [
        { id: 3, name: 'rack 7' },
        { id: 7, name: 'web' },
      ],
    }),
  } as unknown as Lookups
  const list = objectList('/device/devices/{id}', 'id', () => listing('/device/devices', 'integer'))!
  expect(
    (await findObjects(lookups, list, '/device/devices', '7', new AbortController().signal)).map((o) => [
      o.insert,
      o.detail,
    ]),
  ).toEqual([
    ['7', 'web'],
    ['3', 'rack 7'],
  ])
})
