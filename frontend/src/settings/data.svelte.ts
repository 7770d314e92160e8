import { getContext, setContext } from 'svelte'
import type { App } from '../state/app.svelte'
import { asFault } from '../client'
import type { Backup, DataProgress, DataState } from '../client/data'
import { save } from '../ui/save'

/** Bytes of a backup per request. */
const piece = 2 << 20

/** Work on the data folder, which continues while the settings are closed. */
export class DataWork {
  state = $state.raw<DataState>()
  /** Why the last task failed. */
  problem = $state('')
  progress = $state.raw<DataProgress>()
  /** The uploaded and checked backup, until the restore is confirmed. */
  found = $state.raw<Backup & { name: string }>()
  #working = $state.raw<AbortController>()

  readonly busy = $derived(this.#working !== undefined)

  constructor(private app: App) {
    app.activity.ondata = (progress) => {
      if (this.busy) this.progress = progress
    }
  }

  load = () => this.#do(async (data) => void (this.state = await data.state()))

  backUp = () =>
    this.#do(async (data, signal) => {
      const { name } = await data.backup(signal)
      save(this.app, name, { href: data.backupUrl })
    })

  /** Uploads a backup in parts, and checks it. */
  read = (file: File) =>
    this.#do(async (data, signal) => {
      this.found = undefined
      let at = 0
      do {
        this.progress = { doing: 'sending', file: file.name, done: at, total: file.size }
        await data.part(at, file.slice(at, at + piece), signal)
        at += piece
      } while (at < file.size)
      this.found = { ...(await data.look(file.name, signal)), name: file.name }
    })

  restore = (withoutKey: boolean) =>
    this.#do(async (data, signal) => {
      this.state = await data.restore(this.found!.name, withoutKey, signal)
      this.found = undefined
    })

  takeBack = () => this.#do(async (data) => void (this.state = await data.takeBack()))
  undo = () => this.#do(async (data) => void (this.state = await data.undo()))
  forget = () => this.#do(async (data) => void (this.state = await data.forget()))
  openFolder = () => this.#do((data) => data.openFolder())
  restart = () =>
    this.#do(async (data) => {
      await this.app.flush()
      await data.restart()
    })

  leave() {
    this.found = undefined
    this.problem = ''
  }

  cancel() {
    this.#working?.abort()
  }

  /** Runs one task at a time; its error stays visible. */
  async #do(work: (data: App['client']['data'], signal: AbortSignal) => Promise<void>) {
    if (this.busy) return
    const working = (this.#working = new AbortController())
    this.problem = ''
    try {
      await work(this.app.client.data, working.signal)
    } catch (e) {
      const fault = asFault(e)
      if (!fault.cancelled) this.problem = fault.message
    } finally {
      this.#working = this.progress = undefined
    }
  }
}

const key = Symbol('data')
export const provideDataWork = (work: DataWork) => setContext(key, work)
export const useDataWork = () => getContext<DataWork>(key)
