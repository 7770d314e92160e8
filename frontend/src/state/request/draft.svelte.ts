import {
  asFault,
  hasBody,
  type Check,
  type CheckResult,
  type Client,
  type DraftData,
  type Endpoint,
  type Fault,
  type Method,
  type PagesProgress,
  type Reply,
} from '../../client'
import type { FileFormat, SavedFile } from '../../client/sending'
import { placeholders, type Catalog } from '../catalog/catalog.svelte'
import { editRow, editRows, plainRows, type EditRow } from './rows'
import { exampleBody } from './example'
import { readPasted, type Pasted } from './paste'
import type { OffField } from './form'
import { Past, type Snapshot } from './past'

export function emptyDraft(): DraftData {
  return { method: 'GET', path: '', template: '', pathParams: [], query: [], headers: [], body: '', mode: 'form' }
}

/** The owner of a draft: provides its tab's id on the server, and receives events. */
export interface DraftOwner {
  client: Pick<Client, 'send' | 'pages' | 'steer'>
  catalog: Pick<Catalog, 'of' | 'byId' | 'endpoints'>
  /** The tab's id in Go; a promise of it for a new tab. */
  tabId(): number | Promise<number>
  /** Addresses that a typed URL may begin with. */
  bases?(): string[]
  /** Called before a request is sent; false cancels it. */
  before?(draft: Draft, anyway: boolean): boolean | Promise<boolean>
  /** Called when a response or a fault has arrived. */
  answered?(draft: Draft): void
  /** Called when all pages of a list were saved to a file. */
  saved?(file: SavedFile): void
}

/** The edited request of a tab, and its last response. */
export class Draft {
  method = $state<Method>('GET')
  path = $state('')
  template = $state('')
  pathParams = $state<EditRow[]>([])
  query = $state<EditRow[]>([])
  headers = $state<EditRow[]>([])
  body = $state('')
  mode = $state<'form' | 'raw'>('form')
  /** Disabled body fields: they are stored and shown, but not sent. */
  bodyOff = $state.raw<OffField[]>([])
  /** Checks of the response; an edit replaces a check. */
  checks = $state.raw<readonly Check[]>([])
  /** The results of the checks that were sent and have not been edited since. */
  #results = $state.raw<ReadonlyMap<Check, CheckResult>>(new Map())

  reply = $state.raw<Reply>() // replaced, never edited, to avoid a deep proxy over a large response
  fault = $state.raw<Fault>()
  /** Milliseconds since Send, while busy. */
  elapsed = $state(0)
  received = $state(0)
  expected = $state(0)
  sendId = $state('')
  /** The progress of fetching all pages. */
  run = $state.raw<PagesProgress>()
  /** What sends it again and again, if anything does. */
  watch = $state.raw<{ readonly every: number; stop(): void }>()
  /** Timeout in seconds; 0 is the portal default. */
  timeout = $state(0)
  /** A fault with a field, which is shown at the field. */
  marked = $state.raw<Fault>()
  #past: Past | undefined
  /** Whether it was already retried automatically. */
  again = false
  #held = false
  /** The id of the endpoint when the body was last checked. */
  #led = ''
  /** The id of the last endpoint it led to. */
  #last = ''
  #sending = $state.raw<AbortController>()
  #sent = $state('')

  readonly busy: boolean = $derived(this.#sending !== undefined)
  /** The catalog entry for method and path, with any values for its ids. */
  readonly endpoint: Endpoint | undefined = $derived.by(() => this.owner.catalog.of(this))
  /** `GET /device/devices`, the default name of a tab. */
  readonly line: string = $derived(this.path ? `${this.method} ${this.path}` : `${this.method}`)
  readonly text: string = $derived(JSON.stringify(this.data()))
  /** Whether the request was edited after the shown response was requested. */
  readonly stale: boolean = $derived.by(
    () => this.reply !== undefined && this.#sent !== '' && this.#sent !== requestOf(this.data()),
  )
  /** The request and its checks without view state, to compare for "changed". */
  readonly content: string = $derived(contentOf(this.data()))

  constructor(
    private owner: DraftOwner,
    data: DraftData = emptyDraft(),
  ) {
    this.load(data)
  }

  /** Returns the draft in its stored form. */
  data(): DraftData {
    const { method, path, body, mode } = this
    return {
      method,
      path,
      body,
      mode,
      ...(this.timeout ? { timeout: this.timeout } : {}),
      template: this.endpoint?.path ?? this.template,
      pathParams: plainRows(this.pathParams),
      query: plainRows(this.query),
      headers: plainRows(this.headers),
      ...(this.checks.length ? { checks: [...this.checks] } : {}),
    }
  }

  /** Returns the result of a check in the shown response; undefined if it did not run, or was edited since. */
  resultOf(check: Check): CheckResult | undefined {
    return this.#results.get(check)
  }

  /** Replaces the whole request; the response stays. */
  load(data: DraftData) {
    this.method = data.method
    this.path = data.path
    this.template = data.template ?? ''
    this.pathParams = editRows(data.pathParams)
    this.query = editRows(data.query)
    this.headers = editRows(data.headers)
    this.body = data.body ?? ''
    this.mode = data.mode === 'raw' ? 'raw' : 'form'
    this.timeout = data.timeout ?? 0
    this.checks = data.checks ?? []
    this.bodyOff = []
    this.fault = this.marked = undefined
    this.#led = this.#last = `${this.method} ${this.template}`
    this.syncPathParams()
  }

  /** Adds the current request to the undo steps. */
  note() {
    const { method, path, template, timeout, body, bodyOff, checks } = this
    const now: Snapshot = {
      method,
      path,
      template,
      timeout,
      body,
      bodyOff,
      checks,
      pathParams: copies(this.pathParams),
      query: copies(this.query),
      headers: copies(this.headers),
    }
    if (this.#past) this.#past.note(now, performance.now())
    else this.#past = new Past(now)
  }

  /** Undoes the last edit; returns false if there is none. */
  undo(): boolean {
    this.note()
    return this.#restore(this.#past?.undo())
  }

  redo(): boolean {
    this.note()
    return this.#restore(this.#past?.redo())
  }

  /** Rows keep their identity, so that the focus stays. */
  #restore(to: Snapshot | undefined): boolean {
    if (!to) return false
    Object.assign(this, {
      ...to,
      pathParams: copies(to.pathParams),
      query: copies(to.query),
      headers: copies(to.headers),
    })
    this.fault = undefined
    this.#led = `${this.method} ${this.template}`
    return true
  }

  /** Changes to a request to the endpoint, and clears the previous response. */
  choose(endpoint: Endpoint) {
    this.abort()
    this.watch?.stop()
    this.load(draftOf(endpoint))
    this.clearReply()
  }

  /** Points the request at another endpoint and keeps what was entered. */
  take(endpoint: Endpoint) {
    this.method = endpoint.method
    this.path = endpoint.path
    this.template = endpoint.path
    this.pathParams = editRows(draftOf(endpoint).pathParams)
    this.#follow()
    this.query = this.query.filter((r) => r.on && r.key)
    this.offerParams()
    this.fault = undefined
  }

  clearReply() {
    this.reply = this.fault = this.marked = undefined
    this.#results = new Map()
    this.#sent = ''
  }

  setMethod(method: Method) {
    this.method = method
    this.#follow()
  }

  /** Returns true if the path now leads to another endpoint. */
  setPath(path: string): boolean {
    this.path = path
    this.template = this.endpoint?.path ?? ''
    const another = this.#follow()
    if (this.fault?.field === 'path') this.fault = undefined
    this.syncPathParams()
    return another
  }

  /**
   * Updates the endpoint: an unedited body becomes its example, an edited one stays. Returns true if it has changed.
   */
  #follow(): boolean {
    const [before, now] = [this.owner.catalog.byId(this.#led), this.endpoint]
    if (before === now) return false
    this.#led = now?.id ?? ''
    const written = this.body.trim() !== '' && (!before || this.body !== exampleBody(before))
    if (!written && this.bodyOff.length === 0) this.body = now && hasBody(this.method) ? exampleBody(now) : ''
    if (!now || now.id === this.#last) return false
    this.#switchOff(this.owner.catalog.byId(this.#last), now)
    this.#last = now.id
    return true
  }

  /**
   * Disables query parameters of the previous endpoint that this one does not have and would
   * refuse.
   */
  #switchOff(last: Endpoint | undefined, now: Endpoint) {
    const names = (e: Endpoint | undefined) => new Set(e?.params.filter((p) => p.in === 'query').map((p) => p.name))
    const [had, has] = [names(last), names(now)]
    for (const row of this.query) {
      // typed by the user, not suggested
      if (row.on && had.has(row.key) && !has.has(row.key)) [row.on, row.doc] = [false, undefined]
    }
  }

  /** Applies a pasted request; parts that it lacks stay. Returns true if the endpoint has changed. */
  become(pasted: Pasted): boolean {
    if (pasted.method) this.method = pasted.method
    const another = this.setPath(pasted.path ?? '')
    if (pasted.query) this.query = editRows(pasted.query, this.query)
    if (pasted.headers) this.headers = editRows(pasted.headers, this.headers)
    if (pasted.body !== undefined) this.body = pasted.body
    this.offerParams()
    return another
  }

  /**
   * Moves a query or a whole address typed into the path to the rows. It is the whole query: other rows are switched
   * off.
   */
  absorb() {
    const typed = readPasted(this.path, this.owner.bases?.() ?? [])
    if (!typed?.query || typed.path === this.path) return
    const names = new Set(typed.query.map((q) => q.key))
    const kept = plainRows(this.query).filter((r) => !names.has(r.key))
    this.become({
      method: typed.method,
      path: typed.path,
      query: [...typed.query, ...kept.map((r) => ({ ...r, on: false }))],
    })
  }

  /** Adds one row for each {name} in the path; typed values stay. */
  syncPathParams() {
    const names = placeholders(this.path)
    const known = new Map(this.pathParams.map((r) => [r.key, r]))
    if (names.length === this.pathParams.length && names.every((n) => known.has(n))) return
    const docs = new Map(this.endpoint?.params.filter((p) => p.in === 'path').map((p) => [p.name, p.doc]))
    this.pathParams = names.map((name) => known.get(name) ?? editRow({ key: name, doc: docs.get(name) }))
  }

  /** Adds the endpoint's missing query parameters as disabled rows. Without a catalog, the rows stay as they are. */
  offerParams() {
    if (this.owner.catalog.endpoints.length === 0) return
    const params = this.endpoint?.params.filter((p) => p.in === 'query') ?? []
    const names = new Set(params.map((p) => p.name))
    const kept = this.query.filter((r) => r.on || !r.doc || names.has(r.key)) // remove suggestions of another endpoint
    const have = new Set(kept.map((r) => r.key))
    const more = params.filter((p) => !have.has(p.name))
    if (more.length === 0 && kept.length === this.query.length) return
    this.query = [...kept, ...more.map((p) => editRow({ on: false, key: p.name, value: text(p.default), doc: p.doc }))]
  }

  /** Sends the request; a second call while the first runs does nothing. */
  async send(anyway = false) {
    await this.#send(
      (sendId, tabId, draft, signal) => this.owner.client.send({ sendId, tabId, draft, anyway }, signal),
      anyway,
    )
  }

  /**
   * Fetches every page of a list, with its own size or the portal's largest; `resume` is the document of an incomplete
   * run to resume.
   */
  async sendAll(largest = false, resume = '') {
    await this.#send((sendId, tabId, draft, signal) => {
      this.run = { sendId, state: 'running', page: 0, pages: 0, items: 0, total: null, ms: 0, wait: 0, quota: null }
      return this.owner.client.pages({ sendId, tabId, draft, anyway: false, largest, resume }, signal)
    })
  }

  /** Fetches every page of a list into a file; the shown response stays. */
  async saveAll(file: FileFormat, name: string) {
    await this.#send((sendId, tabId, draft, signal) => {
      this.run = { sendId, state: 'running', page: 0, pages: 0, items: 0, total: null, ms: 0, wait: 0, quota: null }
      return this.owner.client.pages(
        { sendId, tabId, draft, anyway: false, largest: true, resume: '', file, name },
        signal,
      )
    })
  }

  /** Updates the progress of a run; returns false if it belongs to another request. */
  progress(e: PagesProgress): boolean {
    if (!this.run || this.sendId !== e.sendId) return false
    this.run = e
    return true
  }

  async #send(
    send: (
      sendId: string,
      tabId: number,
      draft: DraftData,
      signal: AbortSignal,
    ) => Promise<Reply | { saved: SavedFile }>,
    anyway = false,
  ) {
    if (this.busy || this.#held) return
    this.absorb()
    const may = this.owner.before?.(this, anyway) ?? true
    if (may !== true) {
      this.#held = true
      const yes = await Promise.resolve(may).finally(() => (this.#held = false))
      if (!yes || this.busy) return
    }
    const stop = (this.#sending = new AbortController())
    this.fault = this.marked = undefined
    this.sendId = crypto.randomUUID()
    this.received = this.expected = this.elapsed = 0
    const begun = performance.now()
    const clock = setInterval(() => (this.elapsed = performance.now() - begun), 100)
    const [draft, checks] = [this.data(), this.checks.filter((c) => c.on)]
    let done = () => this.owner.answered?.(this)
    try {
      // a known id is not awaited, so that the request is sent before the page is painted
      const tabId = this.owner.tabId()
      const reply = await send(this.sendId, typeof tabId === 'number' ? tabId : await tabId, draft, stop.signal)
      if (stop.signal.aborted) return
      if ('saved' in reply) {
        done = () => this.owner.saved?.(reply.saved)
        return
      }
      this.receive(reply, draft, checks)
      if (reply.status !== 429) this.again = false
    } catch (e) {
      if (this.#sending === stop) this.fault = asFault(e)
    } finally {
      clearInterval(clock)
      if (this.#sending === stop) this.#sending = this.run = undefined
      done()
    }
  }

  /** Cancels a running request. A run keeps the pages received so far. */
  stop() {
    if (this.run?.page) void this.owner.client.steer(this.sendId, 'stop').catch(() => this.abort())
    else this.abort()
  }

  /** Cancels a running request and keeps nothing. */
  abort() {
    this.#sending?.abort()
  }

  /** Shows the response to a request, with the results of the checks that were sent. */
  receive(reply: Reply, sent: DraftData, checks: readonly Check[]) {
    this.reply = reply
    this.#results = new Map(reply.checks?.map((result, i) => [checks[i], result]))
    this.#sent = requestOf(sent)
  }

  /** Shows a response from history as if it had just arrived. */
  show(reply: Reply) {
    this.reply = reply
    this.#results = new Map()
    this.fault = undefined
    this.#sent = requestOf(this.data())
  }
}

const copies = (rows: EditRow[]): EditRow[] => rows.map((r) => ({ ...r }))

/**
 * Returns the initial request of an endpoint: parameters disabled unless required, and an example
 * body.
 */
export function draftOf(e: Endpoint): DraftData {
  const params = e.params.filter((p) => p.in === 'query')
  const offered = new Map(e.example.query.map((q) => [q.key, q.value]))
  return {
    ...emptyDraft(),
    method: e.method,
    path: e.path,
    template: e.path,
    pathParams: e.params
      .filter((p) => p.in === 'path')
      .map((p) => ({ on: true, key: p.name, value: pathExample(e, p.name), doc: p.doc })),
    query: params.map((p) => ({
      on: p.required,
      key: p.name,
      value: offered.get(p.name) ?? text(p.default),
      doc: p.doc,
    })),
    body: hasBody(e.method) ? exampleBody(e) : '',
  }
}

/** Returns an existing id, for reads only: in a write, the user must enter it. */
function pathExample(e: Endpoint, name: string): string {
  if (e.method !== 'GET') return ''
  const at = e.path.split('/').indexOf(`{${name}}`)
  const value = e.example.path.split('/')[at] ?? ''
  return value.startsWith('{') ? '' : value
}

function text(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Returns the parts of a draft that would be sent, and its checks, to compare: without disabled rows and view
 * state.
 */
export function contentOf(d: DraftData): string {
  return requestOf(d) + (d.checks?.length ? JSON.stringify(d.checks) : '')
}

function requestOf(d: DraftData): string {
  const rows = (list: DraftData['query']) =>
    (list ?? []).filter((r) => r.on && (r.key || r.value)).map((r) => [r.key, r.value])
  return JSON.stringify([d.method, d.path, rows(d.pathParams), rows(d.query), rows(d.headers), d.body])
}
