/**
 * Finds objects that help after an error: the nearest to an unknown id, and those that conflict
 * with a write.
 */
import type { App } from '../state/app.svelte'
import type { DraftData } from '../client'
import type { Draft } from '../state/request/draft.svelte'
import {
  filled,
  findObjects,
  nameOf,
  numberOf,
  objectList,
  quoted,
  segment,
  valuesIn,
  type ObjectList,
} from '../state/request/objects'
import { listOf } from '../state/request/picking'

export interface Near {
  id: string
  name: string
}

type Item = Record<string, unknown>

const most = 3

const lastParam = (template: string) => [...template.matchAll(/\{([^{}]+)\}/g)].at(-1)?.[1]

/**
 * Returns up to three objects whose ids are nearest to the one in the request or, if that is not a
 * number, whose names match it.
 */
export async function nearest(app: App, draft: Draft, signal: AbortSignal): Promise<Near[]> {
  const template = draft.endpoint?.path ?? ''
  const param = lastParam(template)
  const found = param ? listOf(app, draft, param) : undefined
  if (!param || !found?.path) return []
  const { list, path } = found
  const typed = (
    valuesIn(template, draft.path).get(param) ??
    draft.pathParams.find((r) => r.key === param)?.value ??
    ''
  ).trim()
  const number = numberOf(list, typed)
  if (list.filterable && number !== undefined) return byNumber(app, list, path, number, signal)
  const byName = await findObjects(app.lookups, list, path, typed, signal)
  const some = byName.length ? byName : await findObjects(app.lookups, list, path, '', signal)
  return some.slice(0, most).map((o) => ({ id: o.insert, name: o.detail ?? '' }))
}

async function byNumber(app: App, list: ObjectList, path: string, at: number, signal: AbortSignal): Promise<Near[]> {
  const fields = [list.key, ...list.names].join(',')
  const request = (filter: string, sort: string) =>
    app.lookups.get<{ items?: Item[] }>(path, { filter, sort, fields, size: String(most) }, signal, 0)
  const sides = await Promise.all([
    request(`${list.key}<${at}`, `-${list.key}`),
    request(`${list.key}>${at}`, list.key),
  ])
  const far = (item: Item) => Math.abs((numberOf(list, String(item[list.key])) ?? Infinity) - at)
  const items = sides.flatMap((s) => s.items ?? []).sort((a, b) => far(a) - far(b))
  return items.slice(0, most).map((item) => ({ id: String(item[list.key]), name: nameOf(list, item) }))
}

/** Replaces the last path parameter by an id. */
export function takeId(draft: Draft, id: string) {
  const template = draft.endpoint?.path ?? ''
  const param = lastParam(template)
  const row = draft.pathParams.find((r) => r.key === param)
  if (row) return void (row.value = id)
  const at = template.replace(/^\//, '').split('/').indexOf(`{${param}}`)
  const [path, ...query] = draft.path.split('?')
  const lead = path.startsWith('/') ? '/' : ''
  const parts = path.slice(lead.length).split('/')
  parts[at] = segment(id)
  draft.setPath([lead + parts.join('/'), ...query].join('?'))
}

/** Returns the objects that already have a unique value of the write. */
export async function inTheWay(
  app: App,
  draft: Draft,
  field: string,
  signal: AbortSignal,
): Promise<{ near: Near; draft: DraftData }[]> {
  const template = draft.endpoint?.path ?? ''
  const collection = template.endsWith('}') ? template.slice(0, template.lastIndexOf('/')) : template
  const one = app.catalog.byId(`GET ${collection}/{id}`)
  const list = one && objectList(one.path, 'id', (id) => app.catalog.byId(id))
  const typed = valuesIn(template, draft.path)
  const path = filled(collection, (name) => typed.get(name) ?? draft.pathParams.find((r) => r.key === name)?.value)
  const value = fieldIn(draft.body, field)
  if (!one || !list?.filterable || !path || value === undefined) return []
  const fields = [list.key, ...list.names].join(',')
  const { items } = await app.client.lookup<{ items?: Item[] }>(
    path,
    { filter: `${field}:${value}`, fields, size: String(most + 1) },
    signal,
  )
  const own = typed.get(lastParam(template) ?? '')
  return (items ?? [])
    .filter((item) => !template.endsWith('}') || String(item[list.key]) !== own)
    .slice(0, most)
    .map((item) => {
      const id = String(item[list.key])
      return {
        near: { id, name: nameOf(list, item) },
        draft: {
          method: 'GET',
          path: `${path}/${segment(id)}`,
          template: one.path,
          pathParams: [],
          query: [],
          headers: [],
          body: '',
          mode: 'form',
        },
      }
    })
}

/** Returns a field of a JSON body as a value of a filter. */
function fieldIn(body: string, field: string): string | undefined {
  try {
    const value = (JSON.parse(body) as Item)[field]
    if (typeof value === 'string') return quoted(value)
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  } catch {
    return undefined
  }
}
