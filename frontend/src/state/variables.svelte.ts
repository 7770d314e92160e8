import type { Client, Variable } from '../client'

/** The variables of the selected portal. */
export class Variables {
  all = $state.raw<Variable[]>([])

  constructor(private client: () => Pick<Client, 'variables'>) {}

  async reload() {
    this.all = (await this.client().variables.list({ size: 1000 })).items
  }

  /** Returns the variable with that name; one of the portal overrides a global one. */
  find(name: string): Variable | undefined {
    return this.all.find((v) => v.name === name && v.scope === 'portal') ?? this.all.find((v) => v.name === name)
  }
}
