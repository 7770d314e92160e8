import { hasBody, type Endpoint, type Param, type Schema } from '../client'
import { type Draft, draftOf } from '../state/request/draft.svelte'
import { exampleOf } from '../state/request/example'
import { editRow, editRows } from '../state/request/rows'

/** Enables a parameter of the request, added if it is missing, with an initial value. */
export function insertParam(draft: Draft, param: Param, value?: unknown) {
  const rows = param.in === 'path' ? draft.pathParams : draft.query
  const start = value ?? param.example ?? param.default ?? param.enum?.[0]
  const text = start === undefined ? '' : typeof start === 'string' ? start : JSON.stringify(start)
  const row = rows.find((r) => r.key === param.name)
  if (row) {
    row.on = true
    if (value !== undefined || !row.value) row.value = text
  } else if (param.in === 'query') rows.push(editRow({ key: param.name, value: text, doc: param.doc }))
}

/** Adds a field of the response to `fields`, or removes it. */
export function toggleField(draft: Draft, name: string) {
  const row = draft.query.find((r) => r.key === 'fields')
  if (!row) return void draft.query.push(editRow({ key: 'fields', value: name }))
  const have = row.on
    ? row.value
        .split(',')
        .map((f) => f.trim())
        .filter(Boolean)
    : []
  row.value = (have.includes(name) ? have.filter((f) => f !== name) : [...have, name]).join(',')
  row.on = row.value !== ''
}

/** Adds the start of a condition to `filter`. */
export function insertCondition(draft: Draft, field: string, operator: string, quoted: boolean) {
  const row = draft.query.find((r) => r.key === 'filter')
  const text = row?.on ? row.value : ''
  const joined = `${text}${text && !/[,|]\s*$/.test(text) ? ',' : ''}${field}${operator}${quoted ? '""' : ''}`
  if (row) [row.on, row.value] = [true, joined]
  else draft.query.push(editRow({ key: 'filter', value: joined }))
}

/**
 * Adds a field to the body with an example value, unless it exists. Returns false if the body is
 * not a JSON object.
 */
export function insertField(draft: Draft, path: readonly string[], schema: Schema): boolean {
  if (!hasBody(draft.method)) return false
  const next = withField(draft.body.trim() ? draft.body : '{}', path, schema)
  if (next === undefined) return false
  draft.body = next
  return true
}

/** Replaces the request by the endpoint's example: its query and its body. */
export function insertExample(draft: Draft, endpoint: Endpoint) {
  const example = draftOf(endpoint)
  draft.body = example.body
  if (endpoint.example.query.length) {
    const given = new Map(endpoint.example.query.map((q) => [q.key, q.value]))
    draft.query = editRows(example.query.map((r) => ({ ...r, on: given.has(r.key) || r.on })))
  }
}

/**
 * Returns the JSON text with one more field. Everything else stays unchanged: numbers of any
 * length, order and spaces. Missing parent objects are added.
 */
export function withField(text: string, path: readonly string[], schema: Schema): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let at = skip(text, 0)
  for (let depth = 0; depth < path.length; depth++) {
    if (text[at] === '[') at = skip(text, at + 1)
    if (text[at] !== '{') return undefined
    const members = membersOf(text, at)
    const member = members.list.find((m) => m.key === path[depth])
    if (!member) {
      const value = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), exampleOf(schema))
      const indent = '  '.repeat(depth + 1)
      const json = JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
      const last = members.list.at(-1)
      const from = last ? last.end : at + 1
      const tail = text.slice(last ? from : members.end)
      return `${text.slice(0, from)}${last ? ',' : ''}\n${indent}${JSON.stringify(path[depth])}: ${json}${last ? tail : `\n${'  '.repeat(depth)}${tail}`}`
    }
    at = member.start
  }
  return text
}

interface Member {
  key: string
  start: number
  end: number
}

/** Returns the members of the object at `at`, and the position of its }. The text is valid JSON. */
function membersOf(text: string, at: number): { list: Member[]; end: number } {
  const list: Member[] = []
  let i = skip(text, at + 1)
  while (text[i] === '"') {
    const keyEnd = endOf(text, i)
    const start = skip(text, skip(text, keyEnd) + 1)
    const end = endOf(text, start)
    list.push({ key: JSON.parse(text.slice(i, keyEnd)) as string, start, end })
    i = skip(text, end)
    if (text[i] === ',') i = skip(text, i + 1)
  }
  return { list, end: i }
}

/** Returns the end of the value that begins at `at`. */
function endOf(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < text.length; i++) {
    const c = text[i]
    if (c === '"') {
      while (text[++i] !== '"') if (text[i] === '\\') i++
      if (depth === 0) return i + 1
    } else if (c === '{' || c === '[') depth++
    else if (c === '}' || c === ']') {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (depth === 0 && (c === ',' || /\s/.test(c))) return i
  }
  return text.length
}

function skip(text: string, at: number): number {
  while (/\s/.test(text[at] ?? '')) at++
  return at
}
