import { placeholders } from '../catalog/catalog.svelte'
import {
  asFault,
  Fault,
  type Client,
  type DraftData,
  type Portal,
  type Settings,
  type Start,
  type Variable,
} from '../../client'
import type { Toasts } from '../../ui/toast.svelte'
import type { FileFormat, SavedFile } from '../../client/sending'
import type { Draft } from '../request/draft.svelte'
import { meaningOf, variablesIn } from '../request/variables'
import { duration } from '../../ui/status'
import type { OpenTab } from '../tabs/workspace.svelte'
import { oneDecimal } from '../../ui/locale'
import { save } from '../../ui/save'
import { text as texts } from './text'

/** A dialog before a write is sent. */
export interface Confirmation {
  what: 'delete' | 'review'
  draft: DraftData
  /** The portal that gets it, if it is not the shown one. */
  at?: { client: Pick<Client, 'goes' | 'changes'>; name: string }
  answer(yes: boolean): void
}

/** Whether a request is one page of a list whose other pages can be fetched too. */
export function hasPages(draft: Draft): boolean {
  if (draft.method !== 'GET') return false
  const answer = draft.endpoint?.answer
  if (answer) return ['items', 'total'].every((name) => answer.properties?.some((p) => p.name === name))
  const { reply } = draft
  return reply?.items != null && reply.total != null && reply.items !== reply.total
}

/** Reports whether the last response, or that of a page, is 401. */
export function signedOut({ fault, reply }: Pick<Draft, 'fault' | 'reply'>): boolean {
  return (fault ?? reply)?.status === 401 || (!fault && reply?.run?.status === 401)
}

/** Fetches every page of a list into a file named after its path. */
export function savePages(draft: Draft, format: FileFormat): Promise<void> {
  return draft.saveAll(format, draft.path.split('?')[0].split('/').filter(Boolean).join('-'))
}

/** Formats the progress of a run: `page 7 of 13 · 6,412 items · 4.1 s`. */
export function runText(
  run: { page: number; pages: number; items: number; ms: number; state: string; wait: number },
  elapsed = run.ms,
): string {
  const since = Math.max(0, elapsed - run.ms) // since the last event
  const took = run.ms + since
  const page = run.pages
    ? texts.sending.pageOf(Math.min(run.page + 1, run.pages), run.pages)
    : texts.sending.page(run.page + 1)
  const words = [
    page,
    texts.sending.items(run.items),
    took < 60_000 ? texts.sending.seconds(oneDecimal(took / 1000)) : duration(took),
  ]
  if (run.state === 'paused') words.push(texts.sending.paused)
  if (run.state === 'waiting') words.push(texts.sending.waiting(Math.ceil(Math.max(0, run.wait - since) / 1000)))
  return words.join(' · ')
}

/** The parts of the page that sending needs. */
interface Home {
  readonly client: Client
  readonly portal: Portal
  readonly settings: { readonly values: Settings }
  readonly session: { readonly start: Pick<Start, 'desktop'> | undefined }
  readonly toasts: Pick<Toasts, 'show'>
  readonly variables: { find(name: string): Variable | undefined }
  readonly activity: { historyVersion: number }
}

/** Confirms writes before they are sent, and undoes them afterwards. */
export class Sending {
  confirming = $state.raw<Confirmation>()
  /** Responses whose write was undone, or can no longer be undone. */
  undone = $state.raw(new Set<number>())
  /** Responses whose write was undone. */
  back = $state.raw(new Set<number>())
  /** The effect of undoing each write that can be undone, by its history id. */
  ways = $state.raw(new Map<number, string>())
  undoing = $state(false)
  #reviewed: OpenTab | undefined
  #refused = new Set<OpenTab>()

  readonly locked: boolean = $derived.by(() => this.app.portal.readOnly)
  readonly reviews: boolean = $derived.by(() => this.app.settings.values.reviewWrites === true)

  constructor(private app: Home) {}

  /** Confirms a DELETE, and other writes if configured. `anyway`: unknown variables are sent as typed. */
  before(tab: OpenTab, anyway = false): boolean | Promise<boolean> {
    const { method } = tab.draft
    const reviewed = this.#reviewed === tab
    this.#reviewed = undefined
    if (this.locked || reviewed) return true // Go refuses writes of a read-only portal
    const what =
      method === 'DELETE' ? 'delete' : (method === 'PUT' || method === 'PATCH') && this.reviews ? 'review' : undefined
    return !what || this.#confirm(what, tab.draft, anyway)
  }

  /** Shows what a PUT or PATCH would change, and sends it if the user confirms. */
  async review(tab: OpenTab) {
    if (tab.draft.busy || !(await this.#confirm('review', tab.draft))) return
    this.#reviewed = tab
    await tab.draft.send()
  }

  /** Returns why a read-only portal refuses a request; '' if it does not. */
  held(draft: Pick<Draft, 'method'>): string {
    return this.locked && draft.method !== 'GET' ? texts.sending.isReadOnly(this.app.portal.name, draft.method) : ''
  }

  /** Records that a response requires a sign-in, after which the request is sent again. */
  refused(tab: OpenTab) {
    this.#refused.add(tab)
  }

  /** Sends requests again after a sign-in; writes are confirmed first. `among` are the tabs, by default all. */
  resume(among?: OpenTab[]) {
    for (const tab of [...this.#refused]) {
      if (among && !among.includes(tab)) continue
      this.#refused.delete(tab)
      const { draft } = tab
      if (draft.busy || !signedOut(draft)) continue
      const { reply } = draft
      if (!draft.fault && reply?.run?.resume) void draft.sendAll(false, reply.document)
      else if (draft.method === 'GET' && !draft.stale) void draft.send()
      else
        this.app.toasts.show(texts.sending.wasRefusedBefore(draft.line), {
          tone: 'warn',
          stay: true,
          action: { label: texts.sending.sendItNow, run: () => void draft.send() },
        })
    }
  }

  /** Reloads the list of writes that can be undone. */
  async loadWays() {
    try {
      const { items } = await this.app.client.undos()
      this.ways = new Map(items.map((way) => [way.historyId, way.undo]))
    } catch {
      this.ways = new Map() // the history works without
    }
  }

  /** Downloads the file of a run while the run continues. */
  fetchFile(sendId: string) {
    save(this.app, '', { href: this.app.client.pagesFileUrl(sendId) })
  }

  saved(file: SavedFile) {
    this.app.activity.historyVersion++
    const { items, total, partial, notes } = file.run
    const count = texts.sending.items(items)
    const text = [
      partial
        ? texts.sending.isIncomplete(file.name, count, Math.max(0, total ?? 0), partial)
        : texts.sending.savedTo(count, file.name),
      ...notes,
    ].join(' ')
    this.app.toasts.show(text, partial ? { tone: 'warn', stay: true } : { tone: 'ok', stay: notes.length > 0 })
  }

  /** Records that a write was undone. */
  wentBack(historyId: number) {
    this.undone = new Set([...this.undone, historyId])
    this.back = new Set([...this.back, historyId])
    void this.loadWays()
  }

  async undo(historyId: number) {
    if (this.undoing) return
    this.undoing = true
    try {
      const done = await this.app.client.undo(historyId)
      this.wentBack(historyId)
      this.app.toasts.show(`${done.message}.`, { tone: 'ok' })
    } catch (e) {
      const fault = asFault(e)
      if (fault.status === 404) this.undone = new Set([...this.undone, historyId])
      this.app.toasts.show(texts.sending.notUndone(fault.message), { tone: 'error', stay: true })
    } finally {
      this.undoing = false
    }
  }

  /** Returns the fault that sending the request would cause, if any. */
  async #lacks(what: Confirmation['what'], draft: Draft, anyway: boolean): Promise<Fault | undefined> {
    const given = new Set(draft.pathParams.filter((r) => r.on && r.value.trim()).map((r) => r.key))
    const lacking = placeholders(draft.path.split('?', 1)[0]).find((name) => !given.has(name))
    if (lacking) return new Fault(texts.sending.needsAValue(lacking), 400, { field: 'path' })
    const unknown = (name: string) => meaningOf(name, (n) => this.app.variables.find(n)).state === 'unknown'
    if (anyway || !variablesIn(draft.content).some(unknown)) return undefined
    const { client } = this.app
    const check = what === 'delete' ? client.goes(draft.data()) : client.changes(draft.data())
    return check.then(
      () => undefined,
      (e) => (asFault(e).unknown.length ? asFault(e) : undefined),
    )
  }

  /** Opens the dialog only for a request that can be sent. */
  async #confirm(what: Confirmation['what'], draft: Draft, anyway = false): Promise<boolean> {
    const lacks = await this.#lacks(what, draft, anyway)
    if (lacks) draft.fault = lacks
    if (lacks || this.confirming) return false
    try {
      return await new Promise<boolean>((answer) => (this.confirming = { what, draft: draft.data(), answer }))
    } finally {
      this.confirming = undefined
    }
  }
}
