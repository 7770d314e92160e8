import type { App } from '../../state/app.svelte'
import { asFault, Fault } from '../../client'
import type { ItemOf, PathOf } from '../../client/monitor'
import { text as shared } from '../text'
import { text } from './text'

/** A check that a property of the new device enables. Ping needs none. */
type Kind = ItemOf<'/setting/checks'> & { needs: Need }
type Need = NonNullable<ItemOf<'/setting/checks'>['needs']>

export interface Pair {
  name: string
  value: string
}

export interface Tried {
  answers: boolean
  simulated: boolean
  items: {
    dataSourceId: number
    displayName: string
    description: string
    answered: boolean
    took: number
    error: string
  }[]
}

/** The form of a new device: the input, its errors, and the test result. */
export class Adding {
  name = $state('')
  displayName = $state('')
  collector = $state(1)
  group = $state.raw<{ id: number; path: string }>()
  /** The checks that can be enabled. */
  kinds = $state.raw<Kind[]>([])
  /** Values of the selected checks, by their names; 'true' for checks without a value. */
  checks = $state<Record<string, string>>({})
  properties = $state<Pair[]>([])
  tried = $state.raw<Tried>()
  /** The tested input, to detect an outdated result. */
  #triedOf = $state('')
  trying = $state(false)
  saving = $state(false)
  fault = $state.raw<Fault>()

  readonly body = $derived.by(() => {
    const own = this.properties.filter((p) => p.name.trim())
    const on = this.kinds.filter((k) => this.checks[k.name]?.trim())
    const checked = on.map((k) => ({ name: k.needs.property, value: this.checks[k.name].trim() }))
    const categories = on.map((k) => k.needs.category).filter(Boolean)
    const more = categories.length ? [{ name: 'system.categories', value: categories.join(',') }] : []
    return {
      name: this.name.trim(),
      displayName: this.displayName.trim(),
      hostGroupIds: String(this.group?.id ?? 1),
      preferredCollectorId: this.collector,
      customProperties: [
        ...checked,
        ...more.filter((p) => !own.some((o) => o.name.trim() === p.name)),
        ...own.map((p) => ({ name: p.name.trim(), value: p.value })),
      ],
    }
  })
  readonly stale: boolean = $derived(this.tried !== undefined && this.#triedOf !== JSON.stringify(this.body))

  constructor(private app: App) {}

  /** Loads the available checks. */
  async begin() {
    const list = await this.app.client.monitor.list('/setting/checks').catch((e: unknown) => {
      this.fault = asFault(e)
    })
    this.kinds = (list?.items ?? []).filter((k): k is Kind => k.needs !== null)
  }

  /** Enables or disables a check. This machine has a name already. */
  flip({ name, needs }: Pick<Kind, 'name' | 'needs'>) {
    if (name in this.checks) {
      delete this.checks[name]
      return
    }
    this.checks[name] = needs.label ? '' : 'true'
    if (!this.name.trim()) this.name = needs.host
  }

  /** Returns the error of a field, '' for none; errors of properties belong to their check. */
  at(field: string): string {
    if (!this.fault) return ''
    const is = this.fault.field
    return is === field || is.startsWith(`${field}[`) || is.startsWith(`${field}.`) ? this.fault.message : ''
  }

  /** Returns the error without a visible field. */
  get loose(): string {
    const shown = ['name', 'displayName', 'hostGroupIds', 'preferredCollectorId', 'customProperties', 'checks']
    return this.fault && !shown.some((field) => this.at(field)) ? this.fault.message : ''
  }

  async test() {
    if (this.trying || !this.#filled()) return
    this.trying = true
    const body = JSON.stringify(this.body)
    try {
      const { name, hostGroupIds, customProperties } = this.body
      this.tried = (await this.app.client.monitor.create('/device/devices/test' satisfies PathOf<'post'>, {
        name,
        hostGroupIds,
        customProperties,
      })) as Tried
      this.#triedOf = body
      this.fault = undefined
    } catch (e) {
      this.fault = asFault(e)
    } finally {
      this.trying = false
    }
  }

  /** Returns the new device's id; undefined if it was refused. */
  async save(): Promise<{ id: number; displayName: string } | undefined> {
    if (this.saving || !this.#filled()) return undefined
    this.saving = true
    try {
      if (this.app.portal.readOnly) throw new Fault(shared.locked(this.app.portal.name))
      const made = await this.app.client.monitor.create('/device/devices', this.body)
      return { id: made.id, displayName: made.displayName }
    } catch (e) {
      this.fault = asFault(e)
      return undefined
    } finally {
      this.saving = false
    }
  }

  /** Reports whether all selected checks have their value. */
  #filled(): boolean {
    const empty = this.kinds.find((k) => k.needs.label && this.checks[k.name]?.trim() === '')
    if (this.body.name && !empty) return true
    this.fault = this.body.name
      ? new Fault(text.adding.valueless(empty!.title, empty!.needs.label), 0, { field: `checks.${empty!.name}` })
      : new Fault(text.adding.nameless, 0, { field: 'name' })
    return false
  }
}
