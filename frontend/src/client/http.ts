/** The Client for the process that serves this page. */
import type { components } from './api.gen'
import type { Call, Http } from './call'
import { collection } from './kept'
import { asFault, Fault, type Client, type Events, type FaultBody, type Listener, type Session } from './index'
import { collectionsClient } from './collections'
import { addressClient } from './address'
import { dataClient } from './data'
import { inspectClient } from './inspect'
import { documentClient } from './document'
import { explorer } from './explorer'
import { linksClient } from './links'
import { lookupClient } from './lookup'
import { monitorClient } from './monitor'
import { portalsClient } from './portals'
import { pastClient } from './past'
import { tableClient } from './table'
import { tokensClient } from './tokens'
import { sendingClient } from './sending'
import { restClient } from './rest'
import { text as words } from './text'

/**
 * Maximum bytes of bodies in transit when the page closes; browsers refuse more than 64 KiB
 * together.
 */
const mostKept = 60_000

/**
 * Clients of one page share a session. `portal` is undefined until the last selected portal is
 * known.
 */
export function httpClient(portal?: number, shared = { csrf: '', keeping: 0 }): Client {
  const here = (path: string) =>
    portal && path.startsWith('/explorer/') && !/[?&]portal=/.test(path)
      ? `${path}${path.includes('?') ? '&' : '?'}portal=${portal}`
      : path

  async function request(
    path: string,
    { method = 'GET', body, signal, keep, headers: more, form }: Call = {},
  ): Promise<Response> {
    const headers: Record<string, string> = { Accept: 'application/json', ...more }
    if (method !== 'GET') {
      if (!form) headers['Content-Type'] = 'application/json' // a form's has its boundary in it
      if (shared.csrf) headers['X-CSRF-Token'] = shared.csrf
    }
    const text = body === undefined ? undefined : JSON.stringify(body)
    const bytes = keep ? new TextEncoder().encode(text).length : 0
    const keepalive = keep && shared.keeping + bytes <= mostKept
    if (keepalive) shared.keeping += bytes
    let response: Response
    try {
      response = await fetch(here(path), {
        method,
        headers,
        signal,
        keepalive,
        credentials: 'same-origin',
        body: form ?? text,
      })
    } catch (e) {
      const fault = asFault(e)
      if (fault.cancelled) throw fault
      throw new Fault(words.silent(location.host), 0, { reason: fault.message })
    } finally {
      if (keepalive) shared.keeping -= bytes
    }
    if (!response.ok) throw await faultOf(response)
    return response
  }

  async function json<T>(path: string, call?: Call): Promise<T> {
    const response = await request(path, call)
    if (response.status === 204) return undefined as T
    try {
      return (await response.json()) as T
    } catch (e) {
      throw asFault(e)
    }
  }

  const http: Http = { json, request }
  const { get, post, patch, remove } = explorer(http)

  return {
    ...collectionsClient(http),
    ...inspectClient(http),
    ...linksClient(http),
    ...lookupClient(http),
    ...portalsClient(http),
    at: (id) => httpClient(id, shared),
    part: (of) => of(http),
    ...pastClient(http),
    ...tableClient(http),
    ...tokensClient(http),
    ...sendingClient(http),
    ...restClient(http),
    ...documentClient(http),
    ...addressClient(http),
    ...dataClient(http),
    async start() {
      try {
        const start = await get('/start', { query: { portal } })
        shared.csrf = start.user.csrfToken
        return start
      } catch (e) {
        // whoever must change the password or set up a second factor first signs in again, which leads there
        if (e instanceof Fault && (e.status === 401 || e.detail.must)) return null
        throw e
      }
    },
    async signIn(username, password, code) {
      const login: components['schemas']['Login'] = { username, password, code }
      const session = await json<Session>('/api/session', { method: 'POST', body: login })
      shared.csrf = session.csrfToken
      return session
    },
    provider: async () => (await json<{ name: string }>('/api/session/provider')).name,
    async signOut() {
      await request('/api/session', { method: 'DELETE' })
      shared.csrf = ''
    },
    async changePassword(password, newPassword) {
      const change: components['schemas']['NewPassword'] = { password, newPassword }
      const session = await json<Session>('/api/session/password', { method: 'PUT', body: change })
      shared.csrf = session.csrfToken
      return session
    },
    async confirmFactor(code) {
      const ready = await json<components['schemas']['FactorReady']>('/api/session/2fa', {
        method: 'PUT',
        body: { code },
      })
      shared.csrf = ready.csrfToken
      return ready.recoveryCodes
    },
    saveSettings: (body) => patch('/settings', { body, keep: true }),
    catalog: () => get('/catalog'),

    monitor: monitorClient(http),
    tabs: collection(http, '/tabs'),
    variables: {
      ...collection(http, '/variables'),
      restore: async (id) => void (await post('/variables/{id}/restore', { params: { id } })),
      follow: (id, from) => post('/variables/{id}/follow', { params: { id }, body: { from }, keep: true }),
      unfollow: (id) => remove('/variables/{id}/follow', { params: { id }, keep: true }),
      missing: async () => (await get('/variables/missing')).ids,
      uses: (sent) => get('/variables/uses', { query: { sent } }),
    },
    environments: {
      ...collection(http, '/environments'),
      restore: async (id) => void (await post('/environments/{id}/restore', { params: { id } })),
    },
    history: {
      ...collection(http, '/history'),
      clear: async () => void (await remove('/history')),
      reply: (id) => get('/history/{id}/reply', { params: { id } }),
    },

    send: (body, signal) => post('/send', { body, signal }),
    preview: (draft) => post('/preview', { body: { draft } }),
    snippet: (draft, language) => post('/snippets', { body: { draft, language } }),

    count: async (path) =>
      (portal
        ? await lookupClient(http).lookup<{ total: number }>(path, { size: '1' })
        : await json<{ total: number }>(`/api${path}?size=1`)
      ).total,
    openLink(url) {
      if (!/^https?:\/\//i.test(url)) return
      void post('/native/open-link', { body: { url } }).catch(() => {
        window.open(url, '_blank', 'noopener,noreferrer')
      })
    },
    toggleFullScreen: async () => void (await post('/native/full-screen')),
    setTitle: async (title) => void (await post('/native/title', { body: { title } })),
    quit: async () => void (await post('/native/quit')),
    saveFile: (body) => post('/native/save', { body }),
    autostart: () => get('/native/autostart'),
    setAutostart: (on) => post('/native/autostart', { body: { on } }),
    chooseFolder: (title) => post('/native/choose-folder', { body: { title } }),
    listen,
  }
}

async function faultOf(response: Response): Promise<Fault> {
  const retry = Number(response.headers.get('Retry-After') ?? 0) || 0
  try {
    const body = (await response.json()) as Partial<FaultBody>
    const message = body.errorMessage || `${response.status} ${response.statusText}`
    return new Fault(message, response.status, body.errorDetail ?? {}, false, retry, body.errorCode ?? '')
  } catch {
    return new Fault(`${response.status} ${response.statusText}`, response.status, {}, false, retry)
  }
}

/**
 * Delay before a refused stream is opened again, in milliseconds; the browser reopens an
 * interrupted one itself.
 */
const refusedFor = 10_000

function listen(to: Listener): () => void {
  const stream = new EventSource('/explorer/events')
  let stop = () => stream.close()
  const on = <K extends keyof Events>(kind: K) =>
    stream.addEventListener(kind, ({ data }: MessageEvent<string>) => to[kind]?.(JSON.parse(data || '{}')))
  on('progress')
  on('pages')
  on('batch')
  on('workspace')
  on('undone')
  on('watch')
  on('session')
  on('portal')
  on('link')
  on('data')
  on('folder')
  on('storage')
  stream.addEventListener('open', () => to.stream?.(true))
  stream.addEventListener('error', () => {
    to.stream?.(false)
    if (stream.readyState !== EventSource.CLOSED) return
    const again = setTimeout(() => (stop = listen(to)), refusedFor)
    stop = () => clearTimeout(again)
  })
  return () => stop()
}
