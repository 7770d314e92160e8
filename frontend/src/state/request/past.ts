/**
 * The edits of one draft, to undo and redo. Typing in one field is one step until there is a pause; every other edit is
 * a separate step. They are in memory, with limits for steps and characters.
 */
import type { Check, Method } from '../../client'
import type { OffField } from './form'
import type { EditRow } from './rows'

/** The parts that an edit can change; the view (form or raw) does not count. */
export interface Snapshot {
  method: Method
  path: string
  template: string
  timeout?: number
  pathParams: EditRow[]
  query: EditRow[]
  headers: EditRow[]
  body: string
  bodyOff: OffField[]
  checks: readonly Check[]
}

const pause = 1000 // ms without typing that end a step
const mostSteps = 200
const mostCharacters = 4_000_000

export class Past {
  #now: Snapshot
  #undo: Snapshot[] = []
  #redo: Snapshot[] = []
  #last = { field: '', at: -Infinity }

  constructor(first: Snapshot) {
    this.#now = first
  }

  get canUndo(): boolean {
    return this.#undo.length > 0
  }

  get canRedo(): boolean {
    return this.#redo.length > 0
  }

  /** Records the current draft, unless it is unchanged. `at` is in ms. */
  note(next: Snapshot, at: number) {
    const field = changed(this.#now, next)
    if (field === undefined) return void (this.#now = next)
    const before = this.#undo.at(-1)
    if (
      before &&
      field.startsWith('body') &&
      this.#last.field.startsWith('body') &&
      changed(before, next) === undefined
    ) {
      // The state went back by other means, like undo inside the editor: that is undoing, too.
      this.#redo.push(this.#now)
      this.#undo.pop()
    } else if (!/^$|[!>]$/.test(field) && field === this.#last.field && at - this.#last.at < pause) {
      this.#redo = []
    } else {
      this.#undo.push(this.#now)
      this.#redo = []
    }
    this.#now = next
    this.#last = { field: field.replace(/>$/, ''), at }
    this.#trim()
  }

  undo(): Snapshot | undefined {
    const to = this.#undo.pop()
    if (to) this.#redo.push(this.#now)
    return this.#go(to)
  }

  redo(): Snapshot | undefined {
    const to = this.#redo.pop()
    if (to) this.#undo.push(this.#now)
    return this.#go(to)
  }

  #go(to: Snapshot | undefined) {
    if (!to) return undefined
    this.#now = to
    this.#last = { field: '', at: -Infinity }
    return to
  }

  #trim() {
    let characters = 0
    let keep = 0
    for (let i = this.#undo.length - 1; i >= 0 && keep < mostSteps; i--, keep++) {
      if (this.#undo[i].body !== this.#undo[i + 1]?.body) characters += this.#undo[i].body.length
      if (characters > mostCharacters) break
    }
    this.#undo = this.#undo.slice(this.#undo.length - keep)
  }
}

/**
 * Returns the field in which two states differ, if it is a single one changed by typing: `path`,
 * `query 7 value`. Returns `path>` for overtyping, which begins a step; `body!` for a body changed
 * by more than typing; '' for any other difference, and undefined for none. A body that follows the
 * path counts with it; disabled rows suggested by the catalog do not count.
 */
function changed(a: Snapshot, b: Snapshot): string | undefined {
  const fields: string[] = []
  if (a.method !== b.method || a.timeout !== b.timeout) fields.push('')
  if (a.path !== b.path) fields.push(typed('path', a.path, b.path))
  if (a.body !== b.body && a.path === b.path) fields.push(typing(a.body, b.body) ? 'body' : 'body!')
  if (a.bodyOff !== b.bodyOff && JSON.stringify(a.bodyOff) !== JSON.stringify(b.bodyOff)) fields.push('')
  if (a.checks !== b.checks && JSON.stringify(a.checks) !== JSON.stringify(b.checks))
    fields.push(a.checks.length === b.checks.length ? 'checks' : '')
  for (const list of ['query', 'headers', 'pathParams'] as const)
    fields.push(...rowsChanged(list, a[list], b[list], a.path !== b.path))
  return fields.length === 0
    ? undefined
    : fields.length === 1
      ? fields[0]
      : fields[0] === 'path' || fields[0] === 'path>'
        ? fields.slice(1).every((f) => f === 'path')
          ? fields[0]
          : ''
        : ''
}

function rowsChanged(list: string, all: EditRow[], next: EditRow[], withPath: boolean): string[] {
  const own = (rows: EditRow[]) => rows.filter((r) => list !== 'query' || r.on || !r.doc)
  const [a, b] = [own(all), own(next)]
  const whole = (rows: EditRow[]) => JSON.stringify(rows.map(({ on, key, value, doc }) => [on, key, value, doc]))
  if (whole(a) === whole(b)) return []
  if (withPath && list === 'pathParams') return ['path'] // placeholders change with the path
  if (a.length !== b.length || a.some((r, i) => r.id !== b[i].id)) return ['']
  const fields: string[] = []
  a.forEach((r, i) => {
    const to = b[i]
    for (const part of ['key', 'value', 'doc'] as const)
      if (r[part] !== to[part]) fields.push(typed(`${list} ${r.id} ${part}`, r[part] ?? '', to[part] ?? ''))
    // The first letter of a value enables its row.
    if (r.on !== to.on && !(to.on && r.value !== to.value)) fields.push('')
  })
  return fields
}

/**
 * Keys and input methods change a letter or a word at a time; anything more was pasted or replaced.
 */
const typing = (a: string, b: string) => Math.abs(a.length - b.length) <= 2

/**
 * Returns the field changed by typing, with > if a first letter replaces everything; otherwise ''.
 */
const typed = (field: string, a: string, b: string) => (typing(a, b) ? field : b.length === 1 ? `${field}>` : '')
