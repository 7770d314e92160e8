import { asFault, type Fault, type KeptEdits } from '../../client'
import type { RestClient } from '../../client/rest'
import { problemOf, same, within, type Field, type Values } from './fields'

/** The current values of the portal in conflict with edits. */
export interface Conflict {
  etag: string
  theirs: Values
  /** Fields that both changed. */
  fields: string[]
}

interface Options {
  rest: Pick<RestClient['rest'], 'get' | 'write'>
  /** The list's path. */
  path: string
  /** Undefined for a new one. */
  id?: number | string
  /** The resource has a single row, at the path of the list. */
  single?: boolean
  /** The initial values of a new one. */
  blank?: Values
  kept?: KeptEdits
  /** Receives every edit, to store it. */
  keep: (edits: KeptEdits | undefined) => void
}

/**
 * An object while it is edited. Only changed fields are stored and sent, with the version they are based on, so that
 * concurrent changes by others are not overwritten.
 */
export class Editing {
  /** The values of the portal. */
  base = $state.raw<Values>({})
  edits = $state.raw<Values>({})
  problems = $state.raw<Record<string, string>>({})
  /** Invalid input by its place: `values` still has the previous value, and saving is blocked. */
  unread = $state.raw<Record<string, string>>({})
  /** An error that belongs to no field. */
  fault = $state.raw<Fault>()
  conflict = $state.raw<Conflict>()
  loading = $state(false)
  saving = $state(false)
  #etag = ''
  /** The previous values of the edited fields. */
  #was: Values = {}
  /** The values that the last save replaced, and the version it created. */
  #replaced: { values: Values; etag: string } | undefined
  #o: Options

  constructor(o: Options) {
    this.#o = o
    if (o.kept) [this.edits, this.#etag, this.#was] = [o.kept.edits, o.kept.etag, o.kept.was]
    if (this.isNew) this.base = o.blank ?? {}
  }

  // Not $derived, because that ends with the component that created the form, while the form stays.
  get dirty(): boolean {
    return Object.keys(this.edits).length > 0
  }

  /** Whether anything was typed, valid or not. */
  get touched(): boolean {
    return this.dirty || Object.keys(this.unread).length > 0
  }

  get values(): Values {
    return { ...this.base, ...this.edits }
  }

  get isNew(): boolean {
    return this.#o.id === undefined && !this.#o.single
  }

  get path(): string {
    return this.#o.id === undefined ? this.#o.path : `${this.#o.path}/${this.#o.id}`
  }

  /** Reads the object; edits and their base version stay. */
  async load() {
    if (this.isNew) return
    this.loading = true
    try {
      const { value, etag } = await this.#o.rest.get<Values>(this.path)
      this.base = value
      if (!this.dirty) this.#etag = etag
      this.fault = undefined
    } catch (e) {
      this.fault = asFault(e)
    } finally {
      this.loading = false
    }
  }

  set(name: string, value: unknown) {
    const { [name]: _, ...others } = this.edits
    if (!(name in this.edits)) this.#was = { ...this.#was, [name]: this.base[name] }
    this.edits = same(value, this.base[name]) ? others : { ...others, [name]: value }
    this.problems = Object.fromEntries(Object.entries(this.problems).filter(([at]) => !within(name, at)))
    this.#keep()
  }

  /**
   * Returns a callback for the control of a field to report why its input is invalid; '' when it is valid or removed.
   */
  refusing(name: string): (below: string, why: string) => void {
    return (below, why) => {
      const { [name + below]: _, ...others } = this.unread
      this.unread = why ? { ...others, [name + below]: why } : others
    }
  }

  /** Discards the edits. */
  discard() {
    this.edits = {}
    this.problems = this.unread = {}
    this.fault = this.conflict = undefined
    this.#keep()
    void this.load()
  }

  /** Returns the problems of a field, by what follows its name. */
  at(name: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries({ ...this.problems, ...this.unread })
        .filter(([at]) => within(name, at))
        .map(([at, text]) => [at.slice(name.length), text]),
    )
  }

  /** Shows the error of a field. */
  check(field: Field) {
    const wrong = problemOf(field, this.values[field.name])
    if (wrong) this.problems = { ...this.problems, [field.name]: wrong }
  }

  /** Saves, and returns the response; undefined if it failed, and the form shows why. */
  async save(fields: Field[]): Promise<Values | undefined> {
    if (this.saving) return undefined
    const values = this.values
    const wrong = fields
      .filter((f) => !f.when || f.when(values))
      .map((f) => [f.name, problemOf(f, values[f.name])] as const)
      .filter(([, text]) => text)
    this.problems = Object.fromEntries(wrong)
    this.fault = undefined
    if (wrong.length > 0 || Object.keys(this.unread).length > 0) return undefined
    this.saving = true
    let again = false
    try {
      const sent = $state.snapshot(this.isNew ? values : this.edits) as Values
      const before = Object.fromEntries(Object.keys(sent).map((name) => [name, this.base[name]]))
      const saved = await this.#o.rest.write<Values>(
        this.isNew ? 'POST' : 'PATCH',
        this.path,
        sent,
        this.isNew ? '' : this.#etag,
      )
      this.base = this.isNew ? (this.#o.blank ?? {}) : saved
      // Input during the request stays.
      this.edits = Object.fromEntries(Object.entries(this.edits).filter(([name, value]) => !same(value, sent[name])))
      this.conflict = undefined
      this.#keep()
      if (!this.isNew) {
        await this.load()
        this.#replaced = { values: before, etag: this.#etag }
      }
      return saved
    } catch (e) {
      again = await this.#refused(asFault(e), fields)
    } finally {
      this.saving = false
    }
    return again ? this.save(fields) : undefined
  }

  /** Undoes the last save. Rejects with a Fault of status 412 if the object has changed since. */
  async undo() {
    if (!this.#replaced) return
    const { values, etag } = this.#replaced
    await this.#o.rest.write('PATCH', this.path, values, etag)
    this.#replaced = undefined
    await this.load()
  }

  /** Keeps the edits, based on the current version. */
  keepMine() {
    if (!this.conflict) return
    this.#etag = this.conflict.etag
    this.#was = this.conflict.theirs
    this.base = this.conflict.theirs
    this.conflict = undefined
    this.#keep()
  }

  /** Takes the portal's values of conflicting fields. */
  takeTheirs() {
    if (!this.conflict) return
    const { fields, etag, theirs } = this.conflict
    this.base = theirs
    this.edits = Object.fromEntries(Object.entries(this.edits).filter(([name]) => !fields.includes(name)))
    this.#etag = etag
    this.#was = theirs
    this.conflict = undefined
    this.#keep()
  }

  /**
   * Shows why saving failed. Returns true if no editable field has changed, so that saving can be retried: the portal
   * itself updates some fields, such as the last use of a token.
   */
  async #refused(fault: Fault, shown: Field[]): Promise<boolean> {
    if (fault.status === 412) {
      try {
        const { value, etag } = await this.#o.rest.get<Values>(this.path)
        const fields = Object.keys(this.edits).filter(
          (name) => !same(value[name], this.#was[name]) && !same(value[name], this.edits[name]),
        )
        if (
          shown.length &&
          !fields.length &&
          shown.every(({ name }) => same(value[name], (name in this.edits ? this.#was : this.base)[name]))
        ) {
          this.#etag = etag
          return true
        }
        this.conflict = { etag, theirs: value, fields }
        return false
      } catch (e) {
        fault = asFault(e)
      }
    }
    if (fault.field) this.problems = { ...this.problems, [fault.field]: fault.message }
    else this.fault = fault
    return false
  }

  #keep() {
    this.#o.keep(
      this.dirty
        ? {
            etag: this.#etag,
            edits: this.edits,
            was: Object.fromEntries(Object.keys(this.edits).map((name) => [name, this.#was[name]])),
          }
        : undefined,
    )
  }
}
