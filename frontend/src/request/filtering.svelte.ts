/** The filter of a draft: possible conditions with live values, and the number of matches. */
import type { App } from '../state/app.svelte'
import { asFault, type Fault, type Param, type Schema } from '../client'
import type { Draft } from '../state/request/draft.svelte'
import { numberNamed, numberNames, operatorWord, placeAt, type FilterValue } from './filter'
import { relative, unitOf } from '../state/request/moments'
import { filled, itemFields, operatorsOf, quoted } from '../state/request/objects'
import { matching, type Offer, type Option, type Suggest } from '../state/request/suggest'
import { editRow, type EditRow } from '../state/request/rows'
import { text as words } from './text'

const paging = ['size', 'offset', 'fields', 'sort', 'filter']

export class Filtering {
  constructor(
    private app: App,
    private draft: Draft,
  ) {}

  /** The filter parameter of the endpoint, if its fields are documented. */
  get param(): Param | undefined {
    return this.draft.endpoint?.params.find((p) => p.in === 'query' && p.name === 'filter' && p.operators?.length)
  }

  /** The row with the filter: the first active one, or else the first. */
  get row(): EditRow | undefined {
    const rows = this.draft.query.filter((r) => r.key === 'filter')
    return rows.find((r) => r.on) ?? rows[0]
  }

  get text(): string {
    return this.row?.value ?? ''
  }

  /** Writes the filter and enables its row; an empty filter disables it. */
  set(text: string) {
    const row = this.row
    if (!row) return void this.draft.query.push(editRow({ key: 'filter', value: text, doc: this.param?.doc }))
    row.value = text
    row.on = text.trim() !== ''
  }

  /** Returns the operators of a field; undefined if it cannot be filtered. */
  operators(field: string): string[] | undefined {
    const known = operatorsOf(this.param)
    if (field === '_all') return known.some(([, ops]) => ops.includes('~')) ? [':', '!:', '~', '!~'] : undefined
    return known.find(([name]) => name === field)?.[1]
  }

  /** Returns the schema of a field of the items, also of one half of its pairs. */
  schema(field: string): Schema | undefined {
    const [name, sub] = field.split('.')
    const own = itemFields(this.draft.endpoint)?.find((f) => f.name === name)
    return sub ? own?.items?.properties?.find((p) => p.name === sub) : own
  }

  /**
   * Converts a text to a value of a field: numbers, booleans and {{variables}} unquoted, texts
   * quoted. The beginning of the name of a number, such as `crit`, becomes the number.
   */
  value(field: string, typed: string): FilterValue {
    const { type, doc } = this.schema(field) ?? {}
    const text = numberNamed(typed, numberNames(doc)) ?? typed
    const bare =
      type === 'boolean' ||
      ((type === 'integer' || type === 'number') && !/[^\d.{}$\w+-]/.test(text) && !/-\d+-/.test(text))
    return { text, quoted: !bare }
  }

  /** Returns the fields that can be filtered, in the order of the docs. */
  fields(typed: string): Option[] {
    const order = new Map(itemFields(this.draft.endpoint)?.map((f, at) => [f.name, at]))
    const at = (name: string) => order.get(name.split('.')[0]) ?? order.size
    const known = operatorsOf(this.param)
      .map(([name]) => name)
      .sort((a, b) => at(a) - at(b))
    const all = [...known, ...(this.operators('_all') ? ['_all'] : [])]
    return matching(
      all.map((name) => ({
        label: name,
        insert: name,
        detail: name === '_all' ? words.filtering.anyTextOf : (this.schema(name)?.doc ?? ''),
      })),
      known.includes(typed) ? '' : typed,
    )
  }

  /**
   * Returns values of a field: those of its schema, or those of current items, the most frequent
   * first.
   */
  async values(field: string, typed: string, signal: AbortSignal): Promise<Option[]> {
    const schema = this.schema(field)
    const unit = unitOf(schema?.format)
    if (unit) return relative(unit)
    const fixed = schema?.enum ?? (schema?.type === 'boolean' ? [true, false] : undefined)
    if (fixed)
      return matching(
        fixed.map((v) => ({ label: String(v), insert: String(v) })),
        fixed.map(String).includes(typed) ? '' : typed,
      )
    const path = this.path
    if (path === undefined || field === '_all' || !this.operators(field)) return []
    const [name, sub] = field.split('.')
    const searches = typed !== '' && !typed.includes('{{') && this.operators(field)!.includes('~')
    const query = {
      ...this.base,
      size: '200',
      fields: name,
      ...(searches ? { filter: `${field}~${quoted(typed)}` } : {}),
    }
    const answer = await this.app.lookups.get<{ items?: Record<string, unknown>[] }>(path, query, signal)
    const counts = new Map<string, number>()
    for (const item of answer.items ?? [])
      for (const one of sub && Array.isArray(item[name])
        ? (item[name] as Record<string, unknown>[]).map((p) => p?.[sub])
        : [item[name]])
        if ((typeof one === 'string' && one !== '') || typeof one === 'number')
          counts.set(String(one), (counts.get(String(one)) ?? 0) + 1)
    const names = numberNames(schema?.doc)
    for (const number of names.keys()) if (!counts.has(number)) counts.set(number, 0)
    const lower = typed.toLowerCase()
    const fits = [...counts]
      .filter(([v]) => v.toLowerCase().includes(lower) || names.get(v)?.startsWith(lower))
      .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    return fits
      .slice(0, 30)
      .map(([v, n]) => ({ label: v, insert: v, detail: names.get(v), note: n > 1 ? `×${n}` : '' }))
  }

  /** Completes the filter as text, at the caret. */
  readonly suggest: Suggest = async (text, caret, signal): Promise<Offer | undefined> => {
    const place = placeAt(text, caret)
    const { from, to } = place
    if (place.part === 'field') {
      const exact = this.operators(place.typed)
      if (!exact) return { label: words.filtering.fields, from, to, options: this.fields(place.typed) }
      return {
        label: words.filtering.operators,
        from: to,
        to,
        options: exact.map((op) => ({ label: op, insert: op, detail: operatorWord(op) })),
      }
    }
    if (place.part === 'operator') {
      const ops = (this.operators(place.field) ?? []).filter((op) => op.startsWith(place.typed))
      return {
        label: words.filtering.operators,
        from,
        to,
        options: ops.map((op) => ({ label: op, insert: op, detail: operatorWord(op) })),
      }
    }
    const options = await this.values(place.field, place.typed, signal)
    return {
      label: words.filtering.values,
      from,
      to,
      options: options.map((o) => ({ ...o, insert: this.written(place.field, o.insert) })),
    }
  }

  private written(field: string, text: string): string {
    return this.value(field, text).quoted ? quoted(text) : text
  }

  /** The path of the list, with its parameters filled in; undefined while one has no value. */
  get path(): string | undefined {
    return filled(this.draft.path.split('?', 1)[0], (name) => this.draft.pathParams.find((r) => r.key === name)?.value)
  }

  /** The other parameters of the request, except for paging. */
  get base(): Record<string, string> {
    const rows = this.draft.query.filter((r) => r.on && r.key && !paging.includes(r.key))
    return Object.fromEntries(rows.map((r) => [r.key, r.value]))
  }
}

/** The number of items that match a filter, and the total number. */
export class Matches {
  found = $state.raw<{ match: number; total: number }>()
  fault = $state.raw<Fault>()
  /** The filter of `found` or `fault`. */
  filter = $state('')
  #running: AbortController | undefined

  constructor(private app: Pick<App, 'lookups'>) {}

  /** Sends two requests, with and without the filter; older ones are dropped. */
  async count(path: string | undefined, base: Record<string, string>, filter: string) {
    this.#running?.abort()
    if (path === undefined || filter.trim() === '') return this.forget()
    const running = (this.#running = new AbortController())
    const count = (query: Record<string, string>) =>
      this.app.lookups.get<{ total?: number }>(path, { ...base, ...query, size: '1' }, running.signal, 250)
    try {
      const [some, all] = await Promise.all([count({ filter }), count({})])
      if (running.signal.aborted) return
      this.filter = filter
      this.found =
        typeof some.total === 'number' && typeof all.total === 'number'
          ? { match: some.total, total: all.total }
          : undefined
      this.fault = undefined
    } catch (e) {
      const fault = asFault(e)
      if (running.signal.aborted || fault.cancelled) return
      this.filter = filter
      this.found = undefined
      this.fault = fault
    }
  }

  forget() {
    this.#running?.abort()
    this.found = this.fault = undefined
    this.filter = ''
  }
}

/** Returns the position of the error in the filter from a portal's message: `… at 12`; -1 if it has none. */
export function positionIn(message: string): number {
  const at = /^filter:.*? at (\d+)(?=[;,.]|$)/s.exec(message)
  return at ? Number(at[1]) : -1
}
