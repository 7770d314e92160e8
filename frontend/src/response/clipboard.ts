import type { App } from '../app.svelte'

/** Copies and says so; says why not when the system refuses. */
export async function copy(app: Pick<App, 'toast'>, text: string | Promise<string>, what: string) {
  try {
    await navigator.clipboard.writeText(await text)
    app.toast(`Copied ${what}`, { tone: 'ok' })
  } catch (e) {
    app.toast(`Not copied: ${(e as Error).message}`, { tone: 'error' })
  }
}
