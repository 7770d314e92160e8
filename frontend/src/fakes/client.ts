/** A Client without a portal: for tests, and for `npm run dev -- --mode fake`. Never in the build. */
import type { Component } from 'svelte'
import { fakeAddress } from './address'
import { fakeData } from './data'
import {
  Fault,
  hasBody,
  type Client,
  type Collection,
  type History,
  type Portal,
  type Reply,
  type SendRequest,
  type Settings,
  type Start,
  type Tab,
  type Environment,
  type Variable,
} from '../client'
import type { Extractor } from '../client/inspect'
import { monitorClient } from '../client/monitor'
import { restClient } from '../client/rest'
import { nowhere } from '../state/portals/place'
import { fakeCatalog } from './catalog'
import { fakeInspect } from './inspect'
import { FakeDocument } from './document'
import { fakeShelf } from './shelf'
import { fakeTables } from './table'
import type { Views } from '../state/navigation.svelte'

export interface FakeClient extends Client {
  sent: SendRequest[]
  settings: Settings
  writes: { kind: string; id: number; change: unknown }[]
}

const devices = ['core-sw-01.fra', 'web-prod-07.fra', 'web-prod-08.fra', 'db-pg-02.fra', 'edge-fw-01.ams', 'esx-11.ams']

/** Empty views. */
export function fakeViews(): Views {
  const nothing = async () => ({ default: (() => ({})) as Component })
  return { api: nothing, monitor: nothing, screens: [] }
}

function page(size: number) {
  return {
    total: 1204,
    searchId: null,
    items: Array.from({ length: size }, (_, i) => ({
      id: 1147 + i,
      displayName: devices[i % devices.length],
      name: `10.20.0.${11 + i}`,
      hostStatus: i % 7 ? 'normal' : 'dead',
      hostGroupIds: '12,48',
      preferredCollectorId: 3,
      updatedOn: 1795187052000 + i,
      disableAlerting: false,
      customProperties: [
        { name: 'location', value: 'Frankfurt FR5, rack 12' },
        { name: 'snmp.version', value: 'v3' },
      ],
    })),
    data: null,
  }
}

function tab(id: number, draft: Partial<Tab['draft']>, more: Partial<Tab> = {}): Tab {
  const whole: Tab['draft'] = {
    method: 'GET',
    path: '',
    template: '',
    pathParams: [],
    query: [],
    headers: [],
    body: '',
    mode: 'form',
    ...draft,
  }
  return {
    id,
    position: id,
    name: '',
    pinned: false,
    draft: whole,
    saved: whole,
    historyId: 0,
    view: {},
    requestId: 0,
    version: 1,
    closed: 0,
    ...more,
  }
}

/** Reads `params` of the page's address: `signin`, `empty`, `theme=light`, `view=monitor`. */
export function fakeClient(
  params = new URLSearchParams(typeof location === 'undefined' ? '' : location.search),
): FakeClient {
  let signedIn = !params.has('signin')
  const settings: Settings = {
    theme: (params.get('theme') as Settings['theme']) ?? 'dark',
    view: (params.get('view') as Settings['view']) ?? 'api',
    activeTab: 1,
    favourites: ['GET /alert/alerts', 'GET /device/groups', 'POST /sdt/sdts'],
  }
  const on = (key: string, value: string) => ({ on: true, key, value })
  const tabs: Tab[] = params.has('empty')
    ? []
    : [
        tab(
          1,
          {
            path: '/device/devices',
            template: '/device/devices',
            query: [
              on('size', '{{pageSize}}'),
              { on: false, key: 'offset', value: '0', doc: 'Items to skip.' },
              on('fields', 'id,displayName,hostStatus'),
              on('sort', '-updatedOn'),
              on('filter', 'displayName~"web",hostStatus:{{what}}'),
            ],
            headers: [on('Accept', 'application/json'), on('X-Version', '3')],
          },
          { saved: null },
        ),
        tab(2, { path: '/device/devices/{{deviceId}}', template: '/device/devices/{id}' }),
        tab(3, { path: '/alert/alerts' }),
        tab(
          4,
          { method: 'POST', path: '/sdt/sdts', body: fakeCatalog.categories[0].endpoints[1].example.body! },
          { saved: null },
        ),
      ]
  const variables: Variable[] = [
    { id: 1, name: 'pageSize', value: '50', secret: false, scope: 'portal', environmentId: 0, changedOn: 0 },
    { id: 2, name: 'deviceId', value: '1147', secret: false, scope: 'portal', environmentId: 0, changedOn: 0 },
    { id: 3, name: 'token', value: '', secret: true, scope: 'global', environmentId: 0, changedOn: 0 },
  ]
  const history: History[] = []
  const documents = new Map<string, FakeDocument>()
  const replies = new Map<number, Reply>()
  const writes: FakeClient['writes'] = []
  const sent: SendRequest[] = []
  let quota = 500

  function collection<T extends { id: number }>(kind: string, items: T[]): Collection<T> {
    let last = items.length
    return {
      list: async (query) => {
        const closed = (item: T) => 'closed' in item && !!item.closed
        const found = query?.filter === 'closed>0' ? items.filter(closed) : items.filter((i) => !closed(i))
        return { total: found.length, searchId: null, items: structuredClone(found), data: null }
      },
      get: async (id) => structuredClone(items.find((i) => i.id === id)!),
      create: async (value) => {
        const item = { ...structuredClone(value), id: ++last } as T
        items.push(item)
        writes.push({ kind, id: item.id, change: value })
        return structuredClone(item)
      },
      update: async (id, change) => {
        const at = items.findIndex((i) => i.id === id)
        items[at] = { ...items[at], ...structuredClone(change) }
        writes.push({ kind, id, change })
        return structuredClone(items[at])
      },
      remove: async (id) =>
        void items.splice(
          items.findIndex((i) => i.id === id),
          1,
        ),
    }
  }

  function answer(request: SendRequest): Reply {
    const { draft } = request
    const list = draft.method === 'GET' && /s$/.test(draft.path)
    const size = Number(draft.query.find((q) => q.on && q.key === 'size')?.value) || 50
    const document = new FakeDocument(list ? page(size) : page(1).items[0])
    const id = history.length + 1
    documents.set(`d${id}`, document)
    const rows = document.rows(0, 100)
    const found = !draft.path.includes('missing')
    const reply: Reply = {
      status: found ? (draft.method === 'POST' ? 201 : 200) : 404,
      statusText: found ? (draft.method === 'POST' ? 'Created' : 'OK') : 'Not Found',
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Rate-Limit-Limit', '500'],
        ['X-Rate-Limit-Remaining', String(--quota)],
      ],
      ms: 12,
      bytes: document.text.length,
      items: list ? size : null,
      total: list ? 1204 : null,
      document: `d${id}`,
      json: true,
      problem: '',
      reading: '',
      binary: false,
      rows: rows.rows,
      rowCount: rows.total,
      lineCount: document.text.split('\n').length,
      historyId: id,
      url: `http://127.0.0.1:8443/api${draft.path}`,
      quota: { limit: 500, remaining: quota, window: 60 },
      timing: { connect: 1, firstByte: 9, download: 2 },
      run: null,
      hops: [],
      undo: '',
      error: null,
    }
    replies.set(id, reply)
    history.unshift({
      id,
      at: Date.now(),
      method: draft.method,
      path: draft.path,
      url: reply.url,
      status: reply.status,
      statusText: reply.statusText,
      ms: 12,
      bytes: reply.bytes,
      error: '',
      draft,
      kept: true,
      pinned: false,
      pageSize: 0,
      items: 0,
      total: 0,
    })
    return reply
  }

  async function send(request: SendRequest, signal: AbortSignal): Promise<Reply> {
    sent.push(structuredClone(request))
    const wait = request.draft.path.includes('slow') ? 8000 : request.draft.path.includes('wait') ? 900 : 20
    await new Promise<void>((done, stop) => {
      const timer = setTimeout(done, wait)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        stop(new Fault('Cancelled', 0, {}, true))
      })
    })
    const all = JSON.stringify(request.draft)
    const missing = [...all.matchAll(/\{\{(\w+)\}\}/g)]
      .map((m) => m[1])
      .filter((n) => !variables.some((v) => v.name === n))
    if (missing.length && !request.anyway) {
      const at = request.draft.query.find((q) => q.on && missing.some((n) => q.value.includes(n)))
      const field = at
        ? `query.${at.key}`
        : request.draft.path.includes('{{')
          ? 'path'
          : hasBody(request.draft.method)
            ? 'body'
            : 'path'
      throw new Fault(`No variable is called “${missing[0]}”. Nothing was sent.`, 400, {
        field,
        reason: 'unknown variable',
        unknown: missing,
      })
    }
    if (request.draft.path.includes('offline'))
      throw new Fault('127.0.0.1:8443 refused the connection. Nothing was sent.', 502, { field: 'portal' })
    return answer(request)
  }

  const doc = (id: string) => documents.get(id)!
  const client: FakeClient = {
    sent,
    linkTo: async () => ({ link: 'spyglass://monitor', without: [] }),
    readLink: async () => ({ screen: 'overview' }),
    tokenPlan: async () => ({ right: 'read on deviceGroup', role: 'token: read on deviceGroup', roleId: 0 }),
    makeToken: async (_, note) => ({
      id: 1,
      adminId: 1,
      note,
      role: 'token: read on deviceGroup',
      newRole: true,
      expiresOn: 1795800000,
      shell: "export SPYGLASS_TOKEN='…'",
      powerShell: "$env:SPYGLASS_TOKEN = '…'",
    }),
    settings,
    writes,
    ...fakeTables((id) => doc(id).text),
    ...fakeInspect((id) => doc(id)),
    extractors: collection<Extractor>('extractors', []),
    start: async () => (signedIn ? startOf(settings, tabs, variables) : null),
    signIn: async (username, password) => {
      if (password === 'wrong') throw new Fault('The user name or the password is wrong', 401)
      signedIn = true
      return { userId: 1, username, role: 'administrator', csrfToken: 'x' }
    },
    provider: async () => '',
    signOut: async () => void (signedIn = false),
    changePassword: async () => ({ userId: 1, username: 'admin', role: 'administrator', csrfToken: 'x' }),
    confirmFactor: async () => ['abcd-efgh-jkmn-pqrs'],
    saveSettings: async (change) => {
      writes.push({ kind: 'settings', id: 0, change })
      return Object.assign(settings, change)
    },
    catalog: async () => fakeCatalog,
    collections: fakeShelf(),
    monitor: monitorClient({ json: async <T>() => page(20) as T, request: async () => new Response('{}') }),
    ...restClient({ json: async <T>() => page(20) as T, request: async () => new Response('{}') }),
    tabs: collection('tabs', tabs),
    variables: {
      ...collection('variables', variables),
      restore: async () => {},
      follow: async () => ({ requests: 0, extractors: 0 }),
      unfollow: async () => ({ requests: 0, extractors: 0 }),
      uses: async () => ({ items: [] }),
      missing: async () => [],
    },
    environments: { ...collection<Environment>('environments', []), restore: async () => {} },
    searchHistory: async ({ words = '' }) => {
      const found = history.filter((h) => h.path.includes(words))
      return {
        total: found.length,
        more: false,
        items: found.map(({ draft, ...h }) => ({ ...h, template: draft.template, found: null })),
      }
    },
    pinHistory: async () => {},
    restoreHistory: async () => {},
    script: async ({ ids = [] }) => ({
      text: `# ${ids.length} requests\n`,
      lines: [[{ class: 'comment', text: `# ${ids.length} requests` }]],
      name: 'script.sh',
    }),
    history: {
      ...collection('history', history),
      clear: async () => void history.splice(0),
      reply: async (id) => {
        const reply = replies.get(id)
        if (!reply) throw new Fault('The answer was not kept', 404)
        return reply
      },
    },
    send,
    preview: async (draft) => ({
      method: draft.method,
      url: `http://127.0.0.1:8443/api${draft.path}`,
      headers: [['Accept', 'application/json']],
      body: draft.body,
      variables: [],
    }),
    snippet: async (draft) => ({
      text: `curl --request ${draft.method} \\\n  'http://127.0.0.1:8443/api${draft.path}'`,
      lines: [
        [
          { class: 'name', text: 'curl' },
          { class: 'text', text: ` --request ${draft.method} ` },
          { class: 'punctuation', text: '\\' },
        ],
        [
          { class: 'text', text: '  ' },
          { class: 'string', text: `'http://127.0.0.1:8443/api${draft.path}'` },
        ],
      ],
    }),
    rows: async (id, from, count) => doc(id).rows(from, count),
    toggle: async (id, node, open, deep, from, count) => {
      doc(id).toggle(node, open, deep)
      return doc(id).rows(from, count)
    },
    left: async (id) => doc(id).left(),
    unfold: async (id, left, from, count) => {
      doc(id).unfold(left)
      return doc(id).rows(from, count)
    },
    lines: async (id, from, count) => doc(id).lines(from, count),
    nodePath: async (id, node) => doc(id).path(node),
    nodeValue: async (id, node) => doc(id).content(node),
    find: async (id, query, from, matchCase) => doc(id).find(query, from, matchCase),
    findText: async (id, query, from, matchCase) => doc(id).find(query, from, matchCase),
    rawUrl: (id) => `#${id}`,
    hex: async () => '',
    pages: async (request, signal) => {
      const reply = await send({ ...request, anyway: false }, signal)
      const run = {
        pages: 1,
        of: 1,
        items: reply.items ?? 0,
        total: reply.total,
        partial: '',
        status: 0,
        resume: false,
        notes: [],
      }
      return request.file
        ? { saved: { name: `${request.name}.${request.file}`, bytes: reply.bytes, historyId: reply.historyId, run } }
        : { ...reply, run }
    },
    pagesFileUrl: (id) => `#${id}`,
    steer: async () => {},
    changes: async () => ({
      name: 'web-prod-07.fra',
      fields: [{ name: 'displayName', kind: 'changed', was: '"web"', now: '"web-prod-07"' }],
    }),
    goes: async () => ({
      noun: 'device',
      name: 'web-prod-07.fra',
      path: '/device/devices/1148',
      below: [],
      late: false,
      bin: true,
    }),
    undo: async (historyId) => ({ historyId, message: 'Restored displayName' }),
    undos: async () => ({ items: [] }),
    lookup: async <T>() => page(20) as T,
    at: () => client,
    part: (of) => of({ json: async <T>() => ({}) as T, request: async () => new Response('{}') }),
    portals: {
      all: async () => [fakePortal()],
      create: async () => ({ id: 2 }),
      update: async (id) => ({ id }),
      remove: async () => {},
      test: async () => ({
        ms: 12,
        status: 200,
        version: '3.1.0',
        user: 'admin',
        sentence: '',
        ok: true,
        baseUrl: 'https://acme.example/api',
      }),
      signIn: async () => fakePortal(),
      signOut: async () => fakePortal(),
      readCatalog: async () => fakePortal(),
    },
    count: async (path) => (path.includes('groups') ? 24 : path.includes('collectors') ? 3 : 1204),
    ...fakeAddress(),
    ...fakeData(),
    openLink: () => {},
    toggleFullScreen: async () => {},
    setTitle: async () => {},
    quit: async () => {},
    saveFile: async () => ({ path: '' }),
    chooseFolder: async () => ({ path: '' }),
    autostart: async () => ({ available: false, on: false }),
    setAutostart: async (on) => ({ available: false, on }),
    listen: () => () => {},
  }
  return client
}

/** All permissions that the fake catalog needs. */
const rights = ['write on explorer', ...fakeCatalog.categories.flatMap((c) => c.endpoints.map((e) => e.permission))]

function startOf(settings: Settings, tabs: Tab[], variables: Variable[]): Start {
  return structuredClone({
    portal: fakePortal(),
    portals: [fakePortal()],
    version: '0.1.0',
    dataFolder: '~/.local/share/spyglass',
    notice: null,
    keyring: true,
    desktop: false,
    tray: false,
    user: { id: 1, name: 'admin', role: 'administrator', rights, csrfToken: 'x' },
    folders: false,
    rehearsals: false,
    formats: [
      {
        id: 'spyglass',
        label: 'Spyglass',
        family: 'Spyglass',
        ext: 'spyglass.json',
        note: '',
        several: false,
        variables: true,
        writes: true,
        history: false,
      },
    ],
    languages: [
      { id: 'curl', label: 'cURL', scriptLabel: 'Bash', extension: 'sh' },
      { id: 'python', label: 'Python', scriptLabel: 'Python', extension: 'py' },
    ],
    settings,
    tabs,
    variables,
    environments: [],
  })
}

function fakePortal(): Portal {
  return {
    ...nowhere,
    name: 'Demo portal',
    baseUrl: 'http://127.0.0.1:8443/api',
    address: '127.0.0.1:8443',
    demo: true,
    environment: 'demo',
    instance: 'ab12',
    user: 'admin',
  }
}
