/** Imports and exports variables, and finds where they are used. */
import type { DraftData, Settings, Variable } from '../client'
import { nameProblem } from './keep'
import { text as words } from './text'

export type Plain = Pick<Variable, 'name' | 'value' | 'secret' | 'scope'>

/** Exports all variables as Spyglass JSON, without values of secrets. */
export function asJSON(list: Plain[]): string {
  const variables = list.map(({ name, value, scope, secret }) =>
    secret ? { name, scope, secret, note: words.variables.itsValueStays } : { name, scope, value },
  )
  return `${JSON.stringify({ spyglass: 'variables', variables }, null, 2)}\n`
}

/** Exports all variables as an .env file. A variable of the portal overrides the global one of that name. */
export function asEnv(list: Plain[]): string {
  const lines = preferred(list).map(({ name, value, secret }) =>
    secret ? `# ${name} is a secret; its value stays in the keyring` : `${name}=${envValue(value)}`,
  )
  return lines.map((l) => `${l}\n`).join('')
}

function preferred(list: Plain[]): Plain[] {
  return list.filter((v) => v.scope === 'portal' || !list.some((o) => o.name === v.name && o.scope === 'portal'))
}

function envValue(value: string): string {
  if (/^[\w./:@%+,-]*$/.test(value)) return value
  return `"${value
    .replace(/[\\"$`]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')}"`
}

/** Parses a file; throws a message if it is neither of the two. */
export function fromFile(text: string): Plain[] {
  const list = text.trimStart().startsWith('{') ? fromJSON(text) : fromEnv(text)
  const wrong = list.find((v) => nameProblem(v.name))
  if (wrong) throw new Error(words.variables.cannotBeA(wrong.name, nameProblem(wrong.name)))
  if (list.length === 0) throw new Error(words.variables.thereAreNo)
  return list
}

function fromJSON(text: string): Plain[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (e) {
    throw new Error(words.variables.theFileIs((e as Error).message))
  }
  const {
    variables,
    values,
    _postman_variable_scope: scope,
  } = value as { variables?: unknown; values?: unknown; _postman_variable_scope?: unknown }
  if (Array.isArray(variables)) {
    return variables.map((v: Partial<Plain>) => ({
      name: String(v.name ?? ''),
      value: v.secret ? '' : String(v.value ?? ''),
      secret: v.secret === true,
      scope: v.scope === 'global' ? 'global' : 'portal',
    }))
  }
  if (isPostman(values))
    return values
      .filter((v) => v.enabled !== false)
      .map((v) => fromPostman(v, scope === 'globals' ? 'global' : 'portal'))
  return Object.entries(value as Record<string, unknown>).map(([name, v]) => ({
    name,
    value: typeof v === 'string' ? v : JSON.stringify(v),
    secret: false,
    scope: 'portal',
  }))
}

/** A variable of an exported Postman environment; a secret's value is in the file, or empty. */
interface PostmanValue {
  key?: string
  value?: unknown
  type?: string
  enabled?: boolean
}

const isPostman = (values: unknown): values is PostmanValue[] =>
  Array.isArray(values) && values.every((v: unknown) => v instanceof Object && 'key' in v)

const fromPostman = ({ key, value, type }: PostmanValue, scope: Plain['scope']): Plain => ({
  name: String(key ?? ''),
  value: String(value ?? ''),
  secret: type === 'secret',
  scope,
})

function fromEnv(text: string): Plain[] {
  const out: Plain[] = []
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (!line.trim() || line.trimStart().startsWith('#')) continue
    const m = /^\s*(?:export\s+)?([^=\s]+)\s*=\s*(.*?)\s*$/.exec(line)
    if (!m) throw new Error(words.variables.lineIsNot(i + 1))
    out.push({ name: m[1], value: envText(m[2]), secret: false, scope: 'portal' })
  }
  return out
}

function envText(text: string): string {
  if (/^'.*'$/.test(text)) return text.slice(1, -1)
  if (!/^".*"$/.test(text)) return text
  return text.slice(1, -1).replace(/\\(.)/g, (_, c: string) => ({ n: '\n', r: '\r', t: '\t' })[c] ?? c)
}

/** Compares an import with the variables: new ones, and ones with another value. */
export function compareWith(own: Variable[], list: Plain[]): { fresh: Plain[]; other: { id: number; to: Plain }[] } {
  const last = [...new Map(list.map((v) => [`${v.scope} ${v.name.toLowerCase()}`, v])).values()]
  const fresh: Plain[] = []
  const other: { id: number; to: Plain }[] = []
  for (const to of last) {
    const have = own.find((v) => v.scope === to.scope && v.name.toLowerCase() === to.name.toLowerCase())
    if (!have) fresh.push(to)
    else if (!to.secret && (have.secret || have.value !== to.value)) other.push({ id: have.id, to })
  }
  return { fresh, other }
}

/** Returns the sorted list; a new variable stays at its end while it is named. */
export function ordered(
  list: Variable[],
  sort: NonNullable<Settings['variableSort']>,
  fresh: number,
  sentAt: (v: Variable) => number,
): Variable[] {
  if (sort === 'added') return list
  const latest = { name: () => 0, changed: (v: Variable) => v.changedOn, sent: sentAt }[sort]
  const byName = (a: Variable, b: Variable) => a.name.localeCompare(b.name) || b.scope.localeCompare(a.scope)
  return [...list].sort(
    (a, b) => Number(a.id === fresh) - Number(b.id === fresh) || latest(b) - latest(a) || byName(a, b),
  )
}

const reference = (name: string) => new RegExp(`\\{\\{\\s*${name.replace(/[.$+-]/g, '\\$&')}\\s*\\}\\}`, 'g')

/** Whether a request, as JSON text, uses the variable. */
export function uses(text: string, name: string): boolean {
  return text.includes('{{') && reference(name).test(text)
}

/** Returns the request with the variable renamed. */
export function renamed(draft: DraftData, from: string, to: string): DraftData {
  return JSON.parse(JSON.stringify(draft).replace(reference(from), () => `{{${to}}}`)) as DraftData
}
