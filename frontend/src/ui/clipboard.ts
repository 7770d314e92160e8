import type { Toasts } from './toast.svelte'
import { text as words } from './text'

/** Copies a text and shows a toast; shows the reason if the system refuses. */
export async function copy(toasts: Pick<Toasts, 'show'>, text: string | Promise<string>, what: string) {
  try {
    await navigator.clipboard.writeText(await text)
    toasts.show(words.clipboard.copied(what), { tone: 'ok' })
  } catch (e) {
    toasts.show(words.clipboard.notCopied((e as Error).message), { tone: 'error' })
  }
}
