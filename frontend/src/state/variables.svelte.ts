import type { Client, Environment, Variable } from '../client'
import type { InUse } from './request/variables'

const precedence: Variable['scope'][] = ['environment', 'portal', 'global']

/** The variables of the selected portal, and its environments. */
export class Variables {
  /** With those of all environments. */
  all = $state.raw<Variable[]>([])
  environments = $state.raw<Environment[]>([])

  /** The active environment, whose variables override the others. */
  readonly active: Environment | undefined = $derived(this.environments.find((e) => e.active))
  /** All but those of other environments; each overrides later ones of its name. */
  readonly inUse: InUse[] = $derived.by(() => {
    const { active } = this
    const mine = this.all.flatMap((v) =>
      v.scope !== 'environment' ? v : v.environmentId === active?.id ? { ...v, of: active.name } : [],
    )
    return mine.sort((a, b) => precedence.indexOf(a.scope) - precedence.indexOf(b.scope))
  })

  constructor(private client: () => Pick<Client, 'variables' | 'environments'>) {}

  async reload() {
    const { variables, environments } = this.client()
    const [all, sets] = await Promise.all([variables.list({ size: 1000 }), environments.list({ size: 1000 })])
    ;[this.all, this.environments] = [all.items, sets.items]
  }

  /** Returns the variable with that name that is in use. */
  find(name: string): InUse | undefined {
    return this.inUse.find((v) => v.name === name)
  }

  /** Makes an environment the active one; 0 is none. */
  async use(id: number) {
    const change = id || this.active?.id
    if (change) await this.client().environments.update(change, { active: !!id })
    this.environments = this.environments.map((e) => ({ ...e, active: e.id === id }))
  }
}
