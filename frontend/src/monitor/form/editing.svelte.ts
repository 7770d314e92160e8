import { asFault, type Fault, type KeptEdits } from '../../client'
import type { RestClient } from '../../client/rest'
import { problemOf, same, within, type Field, type Values } from './fields'

/** What the portal holds by now, beside what is typed here. */
export interface Conflict {
  etag: string
  theirs: Values
  /** Fields that are different in both. */
  fields: string[]
}

interface Options {
  rest: Pick<RestClient['rest'], 'get' | 'write'>
  /** The list's path. */
  path: string
  /** Absent for a new one. */
  id?: number | string
  /** A resource that is one row, with the path of the list. */
  single?: boolean
  /** What a new one begins with. */
  blank?: Values
  kept?: KeptEdits
  /** Told of every edit, to keep it. */
  keep: (edits: KeptEdits | undefined) => void
}

/**
 * One object while it is edited. Only what differs from the portal's is kept
 * and sent, with the version it was typed over: a change that somebody else
 * made meanwhile is never written over unseen.
 */
export class Editing {
  /** As the portal has it. */
  base = $state.raw<Values>({})
  edits = $state.raw<Values>({})
  problems = $state.raw<Record<string, string>>({})
  /**
   * What is typed and is no value yet, by where it is: `values` still has what stood there before, and nothing is
   * saved over that.
   */
  unread = $state.raw<Record<string, string>>({})
  /** What went wrong, where it belongs to no field. */
  fault = $state.raw<Fault>()
  conflict = $state.raw<Conflict>()
  loading = $state(false)
  saving = $state(false)
  #etag = ''
  /** What stood in the edited fields before. */
  #was: Values = {}
  /** What the last saving replaced, and the version it made. */
  #replaced: { values: Values; etag: string } | undefined
  #o: Options

  constructor(o: Options) {
    this.#o = o
    if (o.kept) [this.edits, this.#etag, this.#was] = [o.kept.edits, o.kept.etag, o.kept.was]
    if (this.isNew) this.base = o.blank ?? {}
  }

  // Not $derived: that ends with the component that made the form, and the form stays for the next one.
  get dirty(): boolean {
    return Object.keys(this.edits).length > 0
  }

  /** Something is typed, be it a value or not. */
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

  /** Reads it; what is typed stays, and so does the version it was typed over. */
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

  /** For the control of a field to say that what is typed in it is no value, and why; '' once it is one, or gone. */
  refusing(name: string): (below: string, why: string) => void {
    return (below, why) => {
      const { [name + below]: _, ...others } = this.unread
      this.unread = why ? { ...others, [name + below]: why } : others
    }
  }

  /** Forgets what is typed. */
  discard() {
    this.edits = {}
    this.problems = this.unread = {}
    this.fault = this.conflict = undefined
    this.#keep()
    void this.load()
  }

  /** The problems of a field, by what follows its name. */
  at(name: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries({ ...this.problems, ...this.unread })
        .filter(([at]) => within(name, at))
        .map(([at, text]) => [at.slice(name.length), text]),
    )
  }

  /** Says at a field what is wrong with it already. */
  check(field: Field) {
    const wrong = problemOf(field, this.values[field.name])
    if (wrong) this.problems = { ...this.problems, [field.name]: wrong }
  }

  /** What the portal answered; undefined where it was not saved, and then the form says why. */
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
      // What was typed while it was on its way stays.
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

  /**
   * Puts back what the last saving replaced. Rejects with a Fault of status 412 where somebody changed the object
   * since.
   */
  async undo() {
    if (!this.#replaced) return
    const { values, etag } = this.#replaced
    await this.#o.rest.write('PATCH', this.path, values, etag)
    this.#replaced = undefined
    await this.load()
  }

  /** Goes on with what is typed here, over what the portal holds now. */
  keepMine() {
    if (!this.conflict) return
    this.#etag = this.conflict.etag
    this.#was = this.conflict.theirs
    this.base = this.conflict.theirs
    this.conflict = undefined
    this.#keep()
  }

  /** Goes on with what the portal holds, where both differ. */
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
   * Says why nothing was saved; true where nothing that can be edited has changed, so that saving again is right: the
   * portal itself notes when a token was used.
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
