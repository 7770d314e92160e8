/** The rehearsal of a portal as its dialog shows it. */
import { asFault } from '../../client'
import type {
  CopyPlan,
  RehearsalChanges,
  RehearsalClient,
  RehearsalNote,
  RehearsalReport,
  RehearsalState,
} from '../../client/rehearsal'
import { sentence } from '../../ui/sentence'

export class Rehearsing {
  state = $state.raw<RehearsalState>()
  /** The future contents of a copy; undefined until they are counted. */
  plan = $state.raw<CopyPlan>()
  report = $state.raw<RehearsalReport>()
  changes = $state.raw<RehearsalChanges>()
  problem = $state('')
  busy = $state(false)
  #end = new AbortController()

  constructor(private readonly client: RehearsalClient) {}

  begin() {
    return this.#run(() => this.client.rehearsal())
  }

  /** Starts to copy, or resumes it. */
  copy() {
    return this.#run(() => this.client.startCopy())
  }

  stop() {
    return this.client.stopCopy().catch((e: unknown) => this.#fail(e))
  }

  remove() {
    return this.#run(async () => {
      this.plan = this.report = this.changes = undefined
      return this.client.deleteCopy()
    })
  }

  compare(offline: boolean) {
    return this.#run(async () => {
      this.changes = await this.client.compareCopy(offline)
    })
  }

  /** Ends following the copy, which continues. */
  leave() {
    this.#end.abort()
  }

  /** Runs an action, and follows the copy if the action starts it. */
  async #run(act: () => Promise<RehearsalState | void>) {
    if (this.busy) return
    this.busy = true
    this.problem = ''
    try {
      const state = await act()
      if (state) await this.#arrive(state)
    } catch (e) {
      this.#fail(e)
    } finally {
      this.busy = false
    }
  }

  async #arrive(state: RehearsalState) {
    const { signal } = this.#end
    this.state = state
    while (this.state.stage === 'copying' && !signal.aborted)
      this.state = await this.client.rehearsal(this.state.version, signal)
    if (this.state.stage === 'none') this.plan ??= await this.client.planCopy()
    else if (this.state.stage !== 'copying') this.report = await this.client.copyReport()
  }

  #fail(e: unknown) {
    if (!this.#end.signal.aborted) this.problem = sentence(asFault(e).message)
  }
}

/** Equal notes about several objects. */
export interface NoteLine extends Omit<RehearsalNote, 'id' | 'name'> {
  names: string[]
}

/** Merges equal notes. */
export function linesOf(notes: readonly RehearsalNote[]): NoteLine[] {
  const lines = new Map<string, NoteLine>()
  for (const { kind, noun, name, field, why, text } of notes) {
    const key = JSON.stringify([kind, field, why, text])
    const line = lines.get(key) ?? { kind, noun, field, why, text, names: [] }
    if (name) line.names.push(name)
    lines.set(key, line)
  }
  return [...lines.values()]
}

/** Returns the lines that contain all words, with a given reason or any. */
export function matching(lines: readonly NoteLine[], why: string, words: string): NoteLine[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return lines.filter((l) => {
    const text = [l.noun, l.field, l.text, ...l.names].join(' ').toLowerCase()
    return (!why || l.why === why) && wanted.every((w) => text.includes(w))
  })
}
