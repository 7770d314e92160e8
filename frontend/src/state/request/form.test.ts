import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  converted,
  insertMember,
  moveMember,
  movedOff,
  nodeAt,
  removeMember,
  renameKey,
  setValue,
  shown,
  written,
} from './form'
import { parse, type Node } from './json'

const odd = `{
  "b": 1.50,   "a": 1e3,
  "id": 9007199254740993,
  "a": "twice \\u0041",
  "list": [1, -0, {"deep": null}],
  "size": {{pageSize}}
}`

function root(text: string): Node {
  const parsed = parse(text)
  if (!parsed.root) throw new Error(parsed.problem?.message ?? 'empty')
  return parsed.root
}

describe('the body form', () => {
  test('changing one value leaves all other text unchanged', () => {
    const node = root(odd)
    const id = node.members[2].value
    expect(setValue(odd, id, '9007199254740995')).toBe(odd.replace('9007199254740993', '9007199254740995'))
  })

  test('writing back what is shown changes nothing, for every kind of value', () => {
    const all = (n: Node): Node[] => [n, ...n.members.flatMap((m) => all(m.value))]
    for (const node of all(root(odd))) {
      if (node.kind === 'object' || node.kind === 'array' || node.kind === 'string') continue
      const json = written(node.kind, shown(odd, node))
      expect(json && setValue(odd, node, json)).toBe(odd)
    }
  })

  test('a number stays a number, spelled as typed; other text is refused, never quoted', () => {
    expect(written('number', '1.50')).toBe('1.50')
    expect(written('number', '9007199254740993')).toBe('9007199254740993')
    expect(written('number', '{{pageSize}}')).toBe('{{pageSize}}')
    expect(written('number', '12a')).toBeUndefined()
    expect(written('number', '')).toBeUndefined()
  })

  test('a string that looks like a number stays a string', () => {
    expect(written('string', '42')).toBe('"42"')
  })

  test('duplicate keys are two fields', () => {
    expect(root(odd).members.map((m) => m.key)).toEqual(['b', 'a', 'id', 'a', 'list', 'size'])
  })

  test('a field is removed with its comma, wherever it stands', () => {
    const text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}'
    const node = root(text)
    expect(removeMember(text, node, 0)).toBe('{\n  "b": 2,\n  "c": 3\n}')
    expect(removeMember(text, node, 1)).toBe('{\n  "a": 1,\n  "c": 3\n}')
    expect(removeMember(text, node, 2)).toBe('{\n  "a": 1,\n  "b": 2\n}')
  })

  test('a field disabled and enabled again is unchanged', () => {
    const text = '{\n  "a": 1.0,\n  "b": [1, 2],\n  "c": "x"\n}'
    for (const at of [0, 1, 2]) {
      const member = root(text).members[at]
      const kept = text.slice(member.start, member.value.end)
      const without = removeMember(text, root(text), at)
      expect(insertMember(without, root(without), at, kept)).toBe(text)
    }
  })

  test('the first field of an empty object is indented for its place', () => {
    expect(insertMember('{}', root('{}'), 0, '"a": 1')).toBe('{\n  "a": 1\n}')
    const nested = '{\n  "o": {}\n}'
    expect(insertMember(nested, root(nested).members[0].value, 0, '"a": 1')).toBe('{\n  "o": {\n    "a": 1\n  }\n}')
  })

  test('a key is renamed in place', () => {
    expect(renameKey('{"a": 1}', root('{"a": 1}').members[0], 'b"c')).toBe('{"b\\"c": 1}')
  })

  test('a value changes its type and is converted if possible', () => {
    const text = '{"n": "5", "b": "true"}'
    const [n, b] = root(text).members.map((m) => m.value)
    expect(converted(text, n, 'number')).toBe('5')
    expect(converted(text, b, 'boolean')).toBe('true')
    expect(converted(text, n, 'null')).toBe('null')
  })

  test('a nested value is found by its path', () => {
    const node = nodeAt(root(odd), ['list', 2, 'deep'])
    expect(node?.kind).toBe('null')
  })
})

describe('invalid JSON', () => {
  test.each([
    ['{"a": 1,}', 1, 9, 'a key in double quotes expected'],
    ['{"a" 1}', 1, 6, ': expected after the key'],
    ['{\n  "a": 01\n}', 2, 8, 'not a JSON value'],
    ["{'a': 1}", 1, 2, 'a key in double quotes expected'],
    ['[1, 2', 1, 6, '] is missing'],
    ['{"a": "x\n"}', 1, 9, 'the string does not end on its line'],
    ['{"a": nul}', 1, 7, 'not a JSON value'],
    ['{} {}', 1, 4, 'unexpected text after the value'],
  ])('%j is refused at line %i, column %i: %s', (text, line, column, message) => {
    expect(parse(text).problem).toMatchObject({ line, column, message })
  })

  test('an empty text is no problem and no value', () => {
    expect(parse('  \n')).toEqual({ problem: undefined })
  })
})

describe('any JSON', () => {
  const spaced = fc
    .tuple(fc.json(), fc.constantFrom('', ' ', '\n', '\t '))
    .map(([text, space]) =>
      text.replace(/"(?:[^"\\]|\\.)*"|[,:[\]{}]/g, (t) => (t.length > 1 || t === '"' ? t : t + space)),
    )

  test('round-trips through the form', () => {
    fc.assert(
      fc.property(spaced, (text) => {
        const whole = root(text)
        const visit = (n: Node) => {
          if (n.kind === 'object' || n.kind === 'array') return n.members.forEach((m) => visit(m.value))
          const again = written(n.kind, shown(text, n))!
          expect(n.kind === 'string' ? JSON.parse(again) : again).toEqual(
            n.kind === 'string' ? JSON.parse(text.slice(n.start, n.end)) : text.slice(n.start, n.end),
          )
          if (n.kind !== 'string') expect(setValue(text, n, again)).toBe(text)
        }
        visit(whole)
      }),
      { numRuns: 200 },
    )
  })

  test('moving a member there and back leaves the text unchanged', () => {
    const list = fc.array(fc.jsonValue(), { minLength: 2, maxLength: 6 }).map((v) => JSON.stringify(v, null, 1))
    fc.assert(
      fc.property(list, fc.nat(), fc.nat(), (text, a, b) => {
        const n = root(text).members.length
        const [from, to] = [a % n, b % n]
        const there = moveMember(text, root(text), from, to, (t) => root(t))
        const want = JSON.parse(text) as unknown[]
        want.splice(to, 0, ...want.splice(from, 1))
        expect(JSON.parse(there)).toEqual(want)
        expect(moveMember(there, root(there), to, from, (t) => root(t))).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('disabling and enabling a member leaves the text unchanged', () => {
    const list = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 2 }).map((v) => JSON.stringify(v, null, 2))
    fc.assert(
      fc.property(list, fc.nat(), (text, a) => {
        const at = a % root(text).members.length
        const member = root(text).members[at]
        const without = removeMember(text, root(text), at)
        expect(insertMember(without, root(without), at, text.slice(member.start, member.value.end))).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('disabled fields follow their parents', () => {
    const off = [
      { parent: ['list', 1, 'x'], at: 0, text: '"a": 1' },
      { parent: ['other'], at: 0, text: '"b": 2' },
    ]
    expect(movedOff(off, ['list'], (s) => (s === 1 ? 0 : s))).toEqual([{ ...off[0], parent: ['list', 0, 'x'] }, off[1]])
    expect(movedOff(off, [], (s) => (s === 'other' ? 'renamed' : s))[1].parent).toEqual(['renamed'])
    expect(movedOff(off, ['list'], () => undefined)).toEqual([off[1]])
  })
})
