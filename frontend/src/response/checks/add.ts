import { asFault, type DocRow } from '../../client'
import type { App } from '../../state/app.svelte'
import type { Draft } from '../../state/request/draft.svelte'
import { text } from './text'

/** Adds a check that a value stays the same; of an object, an array or a long text, that it exists. */
export async function addCheck(app: App, draft: Draft, document: string, row: DocRow) {
  try {
    const target = await app.client.nodePath(document, row.node)
    const plain = row.kind !== 'object' && row.kind !== 'array' && !row.cut
    const claim = plain ? { op: 'is', value: row.text ?? '' } : { op: 'exists' }
    draft.checks = [...draft.checks, { on: true, kind: 'json', target, ...claim }]
    app.toasts.show(text.added, {
      tone: 'ok',
      action: { label: text.show, run: () => void app.commands.run('response.checks') },
    })
  } catch (e) {
    app.toasts.show(asFault(e).message, { tone: 'error' })
  }
}
