import { expect, test } from 'vitest'
import { asEnv, asJSON, compareWith, fromFile, ordered, renamed, uses, type Plain } from './variables'

const list: Plain[] = [
  { name: 'site', value: 'it\'s "A" $x `y` \\ 1\n2', secret: false, scope: 'portal' },
  { name: 'site', value: 'global one', secret: false, scope: 'global' },
  { name: 'token', value: '********', secret: true, scope: 'portal' },
  { name: 'id', value: '12345678901234567890', secret: false, scope: 'global' },
]

test('an export can be imported, without secrets', () => {
  expect(asJSON(list)).not.toContain('***')
  expect(fromFile(asJSON(list))).toEqual(list.map((v) => (v.secret ? { ...v, value: '' } : v)))
  expect(asEnv(list)).not.toContain('***')
  expect(fromFile(asEnv(list))).toEqual([list[0], { ...list[3], scope: 'portal' }])
})

test('files of other tools are imported, and errors are reported', () => {
  expect(fromFile(`{"a": 1, "b": "x"}`)).toEqual([
    { name: 'a', value: '1', secret: false, scope: 'portal' },
    { name: 'b', value: 'x', secret: false, scope: 'portal' },
  ])
  const postman = {
    name: 'Office',
    values: [
      { key: 'site', value: 7, type: 'default', enabled: true },
      { key: 'token', value: 'x', type: 'secret' },
      { key: 'off', value: '', enabled: false },
    ],
  }
  expect(fromFile(JSON.stringify({ ...postman, _postman_variable_scope: 'environment' }))).toEqual([
    { name: 'site', value: '7', secret: false, scope: 'portal' },
    { name: 'token', value: 'x', secret: true, scope: 'portal' },
  ])
  expect(fromFile(JSON.stringify({ ...postman, _postman_variable_scope: 'globals' }))[0].scope).toBe('global')
  expect(fromFile(`# c\nexport A=1\nB='x y'\n`).map((v) => v.value)).toEqual(['1', 'x y'])
  expect(() => fromFile('no sense')).toThrow('Line 1 is not NAME=value')
  expect(() => fromFile('{"a":')).toThrow('The file is not valid JSON')
  expect(() => fromFile('{"1a": 2}')).toThrow('“1a” is not a valid variable name')
  expect(() => fromFile('# nothing')).toThrow('The file contains no variables')
})

test('an import distinguishes new items from changes', () => {
  const own = [
    { ...list[0], id: 1, environmentId: 0, changedOn: 0 },
    { ...list[2], id: 2, environmentId: 0, changedOn: 0 },
  ]
  const found = compareWith(own, [{ ...list[0], value: 'B' }, list[1], { ...list[2], value: '' }])
  expect(found).toEqual({ fresh: [list[1]], other: [{ id: 1, to: { ...list[0], value: 'B' } }] })
})

test('uses are found and renamed everywhere', () => {
  const draft = {
    method: 'GET' as const,
    path: '/a/{{ site }}/{{site.x}}',
    template: '',
    pathParams: [],
    query: [{ on: true, key: '{{site}}', value: 'site' }],
    headers: [],
    body: '{"x":"{{site}}"}',
    mode: 'raw' as const,
  }
  expect([
    uses(JSON.stringify(draft), 'site'),
    uses(JSON.stringify(draft), 'sit'),
    uses(JSON.stringify(draft), '$now-1h'),
  ]).toEqual([true, false, false])
  expect(renamed(draft, 'site', 'place')).toEqual({
    ...draft,
    path: '/a/{{place}}/{{site.x}}',
    query: [{ on: true, key: '{{place}}', value: 'site' }],
    body: '{"x":"{{place}}"}',
  })
})

test('variables are sorted by name, by their last change and by when they were sent', () => {
  const own = [
    ['b', 30],
    ['c', 0],
    ['a', 20],
    ['d', 10],
  ].map(([name, changedOn], i) => ({
    id: i + 1,
    name: String(name),
    value: '',
    secret: false,
    scope: 'portal' as const,
    environmentId: 0,
    changedOn: Number(changedOn),
  }))
  const names = (sort: Parameters<typeof ordered>[1], fresh = 0) =>
    ordered(own, sort, fresh, (v) => (v.name === 'c' ? 1 : 0))
      .map((v) => v.name)
      .join('')
  expect([names('added'), names('name'), names('changed'), names('sent'), names('changed', 1)]).toEqual([
    'bcad',
    'abcd',
    'badc',
    'cabd',
    'adcb',
  ])
})
