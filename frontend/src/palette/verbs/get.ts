import type { App } from '../../state/app.svelte'
import type { Endpoint } from '../../client'
import { openInExplorer } from '../../monitor/explore'
import { whyNot } from '../../monitor/form/may'
import { itemFields, operatorsOf, quoted } from '../../state/request/objects'
import { rank } from '../../ui/fuzzy'
import { listed } from '../targets'
import { text as words } from '../actions/text'
import type { Plan, Verb } from '../verb'

const text = words.get

/** Sends a GET to a list: `GET devices filter dead`. */
export default {
  word: 'get',
  also: ['list'],
  takes: text.takes,
  does: text.does,
  icon: 'send',
  remote: true,
  async plan(app, typed, signal) {
    await app.catalog.settled
    const [, name, filter = ''] = /^(.*?)(?:\s+(?:filter|where)\b\s*(.*))?$/is.exec(typed) ?? []
    const found = rank(name, app.catalog.endpoints.filter(isList), (e) => [
      e.path.split('/').at(-1)!,
      e.path,
      e.summary,
    ])
    if (!found.length) return [{ id: 'get none', text: text.none(name) }]
    return Promise.all(found.slice(0, filter ? 1 : 3).map(({ item }) => plan(app, item, filter.trim(), signal)))
  },
} satisfies Verb

const isList = (e: Endpoint) => e.method === 'GET' && !e.path.includes('{') && itemFields(e) !== undefined

async function plan(app: App, endpoint: Endpoint, typed: string, signal: AbortSignal): Promise<Plan> {
  const { path } = endpoint
  const filter = typed && filterOf(endpoint, typed)
  const query: Record<string, string> = filter ? { filter } : {}
  const base: Plan = {
    id: `get ${path}`,
    text: `${path}${filter && `?filter=${filter}`}`,
    method: 'GET',
    why: whyNot(app, 'GET', path),
    run: () => void openInExplorer(app, { method: 'GET', path, query }),
  }
  if (base.why || typed === '') return { ...base, hint: endpoint.summary }
  if (filter === '') return { id: base.id, text: text.noFilter(path) }
  try {
    const { total } = await listed(app, path, { ...query, size: '1' }, signal)
    return { ...base, hint: text.count(total) }
  } catch (e) {
    signal.throwIfAborted()
    return { id: base.id, text: text.notUnderstood(typed), hint: (e as Error).message }
  }
}

/**
 * Returns the filter for what was typed: an expression as it is, a word that is the value of a field, or any text with
 * all the words. '' if the list has no filter.
 */
export function filterOf(endpoint: Endpoint, typed: string): string {
  const param = endpoint.params.find((p) => p.name === 'filter' && p.in === 'query')
  if (!param) return ''
  if (/[:~<>]/.test(typed)) return typed
  const takes = new Set(operatorsOf(param).flatMap(([field, ops]) => (ops.includes(':') ? [field] : [])))
  return typed
    .split(/\s+/)
    .map((word) => {
      for (const field of itemFields(endpoint) ?? []) {
        const value = field.enum?.find((v) => String(v).toLowerCase() === word.toLowerCase())
        if (value !== undefined && takes.has(field.name)) return `${field.name}:${quoted(String(value))}`
      }
      return `_all~${quoted(word)}`
    })
    .join(',')
}
