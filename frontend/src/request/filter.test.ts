import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  appendCondition,
  numberNamed,
  numberNames,
  parseFilter,
  placeAt,
  removeCondition,
  replaceCondition,
  switchJoin,
  writeCondition,
} from './filter'

const q = (text: string) => ({ text, quoted: true })
const b = (text: string) => ({ text, quoted: false })

describe('a filter is parsed', () => {
  test.each([
    ['', []],
    ['id:7', [['id', ':', [b('7')]]]],
    [
      ' id >: 7 , up:true',
      [
        ['id', '>:', [b('7')]],
        ['up', ':', [b('true')]],
      ],
    ],
    ['id>=7', [['id', '>=', [b('7')]]]],
    ['name~"a,b|c"', [['name', '~', [q('a,b|c')]]]],
    ['name:"say \\"hi\\""', [['name', ':', [q('say "hi"')]]]],
    ['name:web\\*', [['name', ':', [b('web\\*')]]]],
    [
      'hostStatus:dead|normal||id<3',
      [
        ['hostStatus', ':', [b('dead'), b('normal')]],
        ['id', '<', [b('3')]],
      ],
    ],
    [
      'link:::empty,note!::null',
      [
        ['link', ':::empty', []],
        ['note', '!::null', []],
      ],
    ],
    ['link:::empty1', [['link', ':', [b('::empty1')]]]],
    ['customProperties.name:"location"', [['customProperties.name', ':', [q('location')]]]],
    ['_all~"x"', [['_all', '~', [q('x')]]]],
    [
      'createdOn>{{$now-1h}},x:{{ a b }}',
      [
        ['createdOn', '>', [b('{{$now-1h}}')]],
        ['x', ':', [b('{{ a b }}')]],
      ],
    ],
  ])('%j', (text, conditions) => {
    const filter = parseFilter(text)
    expect(filter.rest).toBeUndefined()
    expect(filter.conditions.map((c) => [c.field, c.op, c.values])).toEqual(conditions)
  })

  test.each([
    ['id', 0, 2, 'expected an operator after id'],
    ['id:', 0, 3, 'expected a value after :'],
    ['id:7 id:8', 5, 5, 'expected , or ||; a value with spaces, commas or bars needs double quotes'],
    ['id:7,name:"x', 5, 10, 'the value has no closing quote'],
    ['id:7,', 5, 5, 'expected a field'],
    ['~x', 0, 0, 'expected a field'],
    ['a:\\', 0, 2, 'a character must follow the \\'],
  ])('%j stops being one from %i, at %i: %s', (text, start, at, message) => {
    expect(parseFilter(text).rest).toEqual({ start, at, message })
  })

  test('a filter round-trips', () => {
    const value = fc
      .record({ text: fc.string().map((t) => t.replaceAll('\\', '').replaceAll('{', '')), quoted: fc.boolean() })
      .filter((v) => v.quoted || v.text !== '')
    const condition = fc.record({
      field: fc.constantFrom('id', 'name', 'customProperties.value', '_all'),
      op: fc.constantFrom(':', '!:', '~', '!~', '>', '<', '>:', '<:'),
      values: fc.array(value, { minLength: 1, maxLength: 3 }),
    })
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), (all) => {
        const text = all.reduce((t, c) => appendCondition(t, c), '')
        const again = parseFilter(text)
        fc.pre(!all.some((c) => c.values.some((v) => !v.quoted && /^(?:::(?:empty|null)|[=:~])/.test(v.text))))
        expect(again.rest).toBeUndefined()
        expect(again.conditions.map((c) => [c.field, c.op, c.values.map((v) => v.text)])).toEqual(
          all.map((c) => [c.field, c.op, c.values.map((v) => v.text)]),
        )
      }),
      { numRuns: 300 },
    )
  })

  test('any text is kept in tokens', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-c:~!<>|," \\{}*]{0,24}$/), (text) => {
        const { conditions, joins, rest } = parseFilter(text)
        for (const [i, c] of conditions.entries())
          expect(c.end).toBeLessThanOrEqual(joins[i]?.start ?? rest?.start ?? text.length)
        if (conditions.length === 0) return
        expect(
          replaceCondition(text, parseFilter(text), 0, { field: 'x', op: ':', values: [b('1')] }).endsWith(
            text.slice(conditions[0].end),
          ),
        ).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a filter is edited as text', () => {
  const text = 'name ~ "web" , hostStatus:dead || id>3'
  const filter = parseFilter(text)

  test.each([
    [0, 'hostStatus:dead || id>3'],
    [1, 'name ~ "web"  || id>3'],
    [2, 'name ~ "web" , hostStatus:dead '],
  ])('condition %i goes with the join that led to it', (n, want) => {
    expect(removeCondition(text, filter, n)).toBe(want)
  })

  test('changing one condition keeps the rest as typed', () => {
    expect(replaceCondition(text, filter, 1, { field: 'hostStatus', op: '!:', values: [q('dead'), b('normal')] })).toBe(
      'name ~ "web" , hostStatus!:"dead"|normal || id>3',
    )
  })

  test('AND becomes OR and back', () => {
    const or = switchJoin(text, filter, 0)
    expect(or).toBe('name ~ "web" || hostStatus:dead || id>3')
    expect(switchJoin(or, parseFilter(or), 0)).toBe(text)
  })

  test('a value that a bare word cannot hold gets quotes', () => {
    expect(writeCondition({ field: 'name', op: ':', values: [b('a b')] })).toBe('name:"a b"')
    expect(writeCondition({ field: 'id', op: '>', values: [b('{{ from }}')] })).toBe('id>{{ from }}')
  })

  test('unparsed text is kept, and conditions are added after it', () => {
    expect(appendCondition('id:7 nonsense', { field: 'up', op: ':', values: [b('true')] })).toBe(
      'id:7 nonsense,up:true',
    )
    expect(removeCondition('id:7,na', parseFilter('id:7,na'), 0)).toBe('na')
  })
})

test.each([
  ['', 'field', ''],
  ['disp', 'field', 'disp'],
  ['id:7,na', 'field', 'na'],
  ['name', 'field', 'name'],
  ['name!', 'operator', '!'],
  ['name~', 'value', ''],
  ['name~"we', 'value', 'we'],
  ['hostStatus:dead|no', 'value', 'no'],
  ['hostStatus:de', 'value', 'de'],
  ['a:1||b', 'field', 'b'],
])('at the end of %j a %s %j is written', (text, part, typed) => {
  expect(placeAt(text, text.length)).toMatchObject({ part, typed })
})

test.each([
  ['2 warn, 3 error, 4 critical', { 2: 'warn', 3: 'error', 4: 'critical' }],
  [
    'Alerts of this severity and above are counted: 2 warn, 3 error, 4 critical',
    { 2: 'warn', 3: 'error', 4: 'critical' },
  ],
  ['Seconds, at most 60 for one check', {}],
  ['Kept for 30 days', {}],
])('the names of numbers in %j', (doc, names) => {
  expect(Object.fromEntries(numberNames(doc))).toEqual(names)
})

test.each([
  ['crit', '4'],
  ['Warning', '2'],
  ['', undefined],
  ['3', undefined],
  ['fatal', undefined],
])('the number of the name %j', (typed, number) => {
  expect(numberNamed(typed, numberNames('2 warn, 3 error, 4 critical'))).toBe(number)
})
