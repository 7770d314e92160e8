/** The object pickers of one draft: in the path, and in the rows of its parameters. */
import type { Schema } from '../../client'
import type { Draft } from './draft.svelte'
import {
  decoded,
  filled,
  findObjects,
  objectList,
  objectName,
  offerObjects,
  parameterAt,
  segment,
  valuesIn,
  type ObjectList,
} from './objects'
import { type Editor, editorOf } from './params'
import type { EditRow } from './rows'
import { type Offer, partAt } from './suggest'
import type { Lookups } from './lookups'
import type { Catalog } from '../catalog/catalog.svelte'

/** The catalog and the lookups of the selected portal. */
interface Home {
  readonly catalog: Catalog
  readonly lookups: Lookups
}

/**
 * Returns the list with a parameter's objects, and its path with the earlier parameters filled in.
 */
export function listOf(
  app: Home,
  draft: Draft,
  param: string,
): { list: ObjectList; path: string | undefined } | undefined {
  const template = draft.endpoint?.path
  const list = template === undefined ? undefined : objectList(template, param, (id) => app.catalog.byId(id))
  if (!list) return undefined
  const typed = valuesIn(template!, draft.path)
  const path = filled(list.path, (name) => typed.get(name) ?? draft.pathParams.find((r) => r.key === name)?.value)
  return { list, path }
}

export function parameterEditor(app: Home, draft: Draft, row: EditRow): Editor {
  const found = listOf(app, draft, row.key)
  if (!found) return editorOf(draft.endpoint?.params.find((p) => p.in === 'path' && p.name === row.key))
  return { suggest: (text, _, signal) => offerObjects(app.lookups, found.list, found.path, text, signal), eager: true }
}

/** Returns the editor of a body field: one for ids suggests objects, also by name. */
export function fieldEditor(app: Home, schema: Schema | undefined): Editor {
  const editor = editorOf(schema)
  const list = schema?.list && objectList(`${schema.list}/{id}`, 'id', (id) => app.catalog.byId(id))
  if (!list) return editor
  const several = schema.format === 'comma-separated-ids'
  return {
    ...editor,
    eager: true,
    suggest: async (text, caret, signal) => {
      const { from, to } = several ? partAt(text, caret) : { from: 0, to: text.length }
      const offer = await offerObjects(app.lookups, list, list.path, text.slice(from, to), signal)
      return offer && { ...offer, from, to }
    },
  }
}

export async function parameterName(app: Home, draft: Draft, row: EditRow, signal: AbortSignal): Promise<string> {
  const found = listOf(app, draft, row.key)
  return found?.path === undefined ? '' : objectName(app.lookups, found.list, found.path, row.value, signal)
}

/** Suggests objects for the segment of the path at the caret. */
export async function offerSegment(
  app: Home,
  draft: Draft,
  text: string,
  caret: number,
  signal: AbortSignal,
): Promise<Offer | undefined> {
  const template = draft.endpoint?.path
  const place = template === undefined ? undefined : parameterAt(template, text, caret)
  const found = place && listOf(app, draft, place.param)
  if (!place || !found?.path) return undefined
  const typed = text.slice(place.from, place.to)
  const options = await findObjects(
    app.lookups,
    found.list,
    found.path,
    /[{}]/.test(typed) ? '' : decoded(typed),
    signal,
  )
  if (options.length === 0) return undefined
  return {
    label: found.list.label,
    from: place.from,
    to: place.to,
    options: options.map((o) => ({ ...o, insert: segment(o.insert) })),
  }
}

/** Returns the name of each id in the path: `42 is core-sw-01`. */
export async function namesInPath(app: Home, draft: Draft, signal: AbortSignal): Promise<string> {
  const template = draft.endpoint?.path
  if (template === undefined) return ''
  const names = [...valuesIn(template, draft.path)].map(async ([param, id]) => {
    const found = listOf(app, draft, param)
    return found?.path === undefined ? '' : objectName(app.lookups, found.list, found.path, id, signal)
  })
  return (await Promise.all(names)).filter(Boolean).join(' › ')
}
