/** The Client that talks to the process this page came from. */
import type { components } from './api.gen'
import { collection, type Call, type Http } from './call'
import { asFault, Fault, type Client, type FaultDetail, type Listener, type Session, type Start } from './index'
import { collectionsClient } from './collections'
import { dataClient } from './data'
import { askClient } from './ask'
import { lookupClient } from './lookup'
import { monitorClient } from './monitor'
import { portalsClient } from './portals'
import { pastClient } from './past'
import { tableClient } from './table'
import { sendingClient } from './sending'
import { restClient } from './rest'
import { text as words } from './text'

/** Bytes of bodies that may be under way when the page goes; browsers refuse more than 64 KiB together. */
const mostKept = 60_000

/** Clients of one page share a session. `portal` is undefined until it is known which was looked at last. */
export function httpClient(portal?: number, shared = { csrf: '', keeping: 0 }): Client {
  const here = (path: string) =>
    portal && path.startsWith('/explorer/') && !/[?&]portal=/.test(path)
      ? `${path}${path.includes('?') ? '&' : '?'}portal=${portal}`
      : path

  async function ask(
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
    let answer: Response
    try {
      answer = await fetch(here(path), {
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
    if (!answer.ok) throw await faultOf(answer)
    return answer
  }

  async function json<T>(path: string, call?: Call): Promise<T> {
    const answer = await ask(path, call)
    if (answer.status === 204) return undefined as T
    try {
      return (await answer.json()) as T
    } catch (e) {
      throw asFault(e)
    }
  }

  const http: Http = { json, ask }
  const doc = (id: string, verb: string) => `/explorer/documents/${encodeURIComponent(id)}/${verb}`

  return {
    ...collectionsClient(http),
    ...askClient(http),
    ...lookupClient(http),
    ...portalsClient(http),
    at: (id) => httpClient(id, shared),
    ...pastClient(http),
    ...tableClient(http),
    ...sendingClient(http),
    ...restClient(http),
    ...dataClient(http),
    async start() {
      try {
        const start = await json<Start>(portal === undefined ? '/explorer/start' : `/explorer/start?portal=${portal}`)
        shared.csrf = start.user.csrfToken
        return start
      } catch (e) {
        if (e instanceof Fault && e.status === 401) return null
        throw e
      }
    },
    async signIn(username, password) {
      const login: components['schemas']['Login'] = { username, password }
      const session = await json<Session>('/api/session', { method: 'POST', body: login })
      shared.csrf = session.csrfToken
      return session
    },
    async signOut() {
      await ask('/api/session', { method: 'DELETE' })
      shared.csrf = ''
    },
    async changePassword(password, newPassword) {
      const change: components['schemas']['NewPassword'] = { password, newPassword }
      shared.csrf = (await json<Session>('/api/session/password', { method: 'PUT', body: change })).csrfToken
    },
    saveSettings: (change) => json('/explorer/settings', { method: 'PATCH', body: change, keep: true }),
    catalog: () => json('/explorer/catalog'),

    monitor: monitorClient(http),
    tabs: collection(http, '/explorer/tabs'),
    variables: {
      ...collection(http, '/explorer/variables'),
      restore: async (id) => void (await ask(`/explorer/variables/${id}/restore`, { method: 'POST', body: {} })),
      follow: (id, from) => json(`/explorer/variables/${id}/follow`, { method: 'POST', body: { from }, keep: true }),
      unfollow: (id) => json(`/explorer/variables/${id}/follow`, { method: 'DELETE', keep: true }),
      missing: async () => (await json<{ ids: number[] }>('/explorer/variables/missing')).ids,
      uses: (sent) => json(`/explorer/variables/uses${sent ? '?sent=1' : ''}`),
    },
    history: {
      ...collection(http, '/explorer/history'),
      clear: async () => void (await ask('/explorer/history', { method: 'DELETE' })),
      reply: (id) => json(`/explorer/history/${id}/reply`),
    },

    send: (request, signal) => json('/explorer/send', { method: 'POST', body: request, signal }),
    preview: (draft) => json('/explorer/preview', { method: 'POST', body: { draft } }),
    snippet: (draft, language) => json('/explorer/snippets', { method: 'POST', body: { draft, language } }),

    rows: (id, from, count) => json(`${doc(id, 'rows')}?from=${from}&count=${count}`),
    toggle: (id, node, open, deep, from, count) =>
      json(doc(id, 'toggle'), { method: 'POST', body: { node, open, deep, from, count } }),
    left: async (id) => (await json<{ left: string }>(doc(id, 'left'))).left,
    unfold: (id, left, from, count) => json(doc(id, 'unfold'), { method: 'POST', body: { left, from, count } }),
    lines: (id, from, count) => json(`${doc(id, 'lines')}?from=${from}&count=${count}`),
    nodePath: async (id, node) => (await json<{ path: string }>(`${doc(id, 'path')}?node=${node}`)).path,
    nodeValue: async (id, node) => (await ask(`${doc(id, 'value')}?node=${node}`)).text(),
    find: (id, query, from, matchCase, signal) =>
      json(`${doc(id, 'find')}?query=${encodeURIComponent(query)}&from=${from}&case=${matchCase}`, { signal }),
    findText: (id, query, from, matchCase, signal) =>
      json(`${doc(id, 'find')}?query=${encodeURIComponent(query)}&from=${from}&case=${matchCase}&raw=true`, { signal }),
    rawUrl: (id) => doc(id, 'raw'),
    hex: async (id) => (await http.ask(doc(id, 'hex'))).text(),

    count: async (path) =>
      (portal
        ? await lookupClient(http).lookup<{ total: number }>(path, { size: '1' })
        : await json<{ total: number }>(`/api${path}?size=1`)
      ).total,
    openLink(url) {
      if (!/^https?:\/\//i.test(url)) return
      void ask('/explorer/native/open-link', { method: 'POST', body: { url } }).catch(() => {
        window.open(url, '_blank', 'noopener,noreferrer')
      })
    },
    toggleFullScreen: async () => void (await ask('/explorer/native/full-screen', { method: 'POST', body: {} })),
    quit: async () => void (await ask('/explorer/native/quit', { method: 'POST', body: {} })),
    saveFile: (file) => json<{ path: string }>('/explorer/native/save', { method: 'POST', body: file }),
    listen,
  }
}

async function faultOf(answer: Response): Promise<Fault> {
  const retry = Number(answer.headers.get('Retry-After') ?? 0) || 0
  try {
    const body = (await answer.json()) as {
      errorMessage?: string
      errorCode?: string | number
      errorDetail?: FaultDetail | null
    }
    const message = body.errorMessage || `${answer.status} ${answer.statusText}`
    return new Fault(message, answer.status, body.errorDetail ?? {}, false, retry, body.errorCode ?? '')
  } catch {
    return new Fault(`${answer.status} ${answer.statusText}`, answer.status, {}, false, retry)
  }
}

/**
 * How long a stream that was refused waits before it is asked for again, in milliseconds; one that broke off the
 * browser asks for itself.
 */
const refusedFor = 10_000

function listen(to: Listener): () => void {
  const stream = new EventSource('/explorer/events')
  let stop = () => stream.close()
  const on = (kind: Exclude<keyof Listener, 'stream'>) => {
    stream.addEventListener(kind, (e) => {
      const data: unknown = JSON.parse((e as MessageEvent<string>).data || '{}')
      const heard = to[kind] as ((data: unknown) => void) | undefined
      heard?.(data)
    })
  }
  on('progress')
  on('pages')
  on('batch')
  on('workspace')
  on('undone')
  on('session')
  on('portal')
  on('link')
  on('data')
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
