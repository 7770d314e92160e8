import type { App } from '../app.svelte'
import { text as words } from './text'

/** Copies and says so; says why not when the system refuses. */
export async function copy(app: Pick<App, 'toast'>, text: string | Promise<string>, what: string) {
  try {
    await navigator.clipboard.writeText(await text)
    app.toast(words.clipboard.copied(what), { tone: 'ok' })
  } catch (e) {
    app.toast(words.clipboard.notCopied((e as Error).message), { tone: 'error' })
  }
}
