import { asFault, type Client } from '../client'
import type { Extractor } from '../client/inspect'

/** The user's extractors. */
export class Extractors {
  all = $state.raw<Extractor[]>([])
  problem = $state('')

  constructor(private client: Pick<Client, 'extractors'>) {}

  async load() {
    try {
      this.all = (await this.client.extractors.list({ size: 200 })).items
      this.problem = ''
    } catch (e) {
      this.problem = asFault(e).message
    }
  }

  /** Rejects with the Fault to show in the form. */
  async add(one: Pick<Extractor, 'endpoint' | 'status' | 'path' | 'variable'>) {
    const made = await this.client.extractors.create({ ...one, on: true })
    this.all = [...this.all.filter((x) => x.id !== made.id), made]
  }

  /** Rejects with the Fault to show in the form. */
  async change(x: Extractor, to: Pick<Extractor, 'endpoint' | 'status' | 'path' | 'variable'>) {
    const now = await this.client.extractors.update(x.id, to)
    this.all = this.all.map((o) => (o.id === x.id ? now : o))
  }

  async turn(x: Extractor, on: boolean) {
    await this.#try(async () => {
      const now = await this.client.extractors.update(x.id, { on })
      this.all = this.all.map((o) => (o.id === x.id ? now : o))
    })
  }

  async remove(x: Extractor) {
    await this.#try(async () => {
      await this.client.extractors.remove(x.id)
      this.all = this.all.filter((o) => o.id !== x.id)
    })
  }

  async #try(work: () => Promise<void>) {
    try {
      await work()
      this.problem = ''
    } catch (e) {
      this.problem = asFault(e).message
    }
  }
}
