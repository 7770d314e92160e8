import { asFault, type Client, type Start } from '../client'
import { text } from './text'
import type { Toasts } from './toast.svelte'

/** The parts of the page that saving a file needs. */
interface Home {
  session: { readonly start: Pick<Start, 'desktop'> | undefined }
  client: Pick<Client, 'saveFile'>
  toasts: Pick<Toasts, 'show'>
}

/** A file of the portal by its address, or a text of the page. */
type From = { href: string } | { text: string }

/**
 * Saves a file: in the desktop window with a dialog, in a browser as a download. Without a name, a file of the portal
 * keeps its name.
 */
export function save(app: Home, name: string, from: From) {
  if (app.session.start?.desktop) void saveAs(app, name, from)
  else download(name, from)
}

/** Handles a click on a download link in the window. */
export function saves(app: Home) {
  return (e: MouseEvent & { currentTarget: HTMLAnchorElement }) => {
    if (!app.session.start?.desktop) return
    e.preventDefault()
    const { pathname, search } = new URL(e.currentTarget.href)
    save(app, e.currentTarget.download, { href: pathname + search })
  }
}

async function saveAs(app: Home, name: string, from: From) {
  try {
    const { path } = await app.client.saveFile({ name, ...('text' in from ? from : { path: from.href }) })
    if (path) app.toasts.show(text.savedTo(path), { tone: 'ok' })
  } catch (e) {
    app.toasts.show(asFault(e).message, { tone: 'error' })
  }
}

function download(name: string, from: From) {
  const link = document.createElement('a')
  link.href =
    'href' in from ? from.href : URL.createObjectURL(new Blob([from.text], { type: 'text/plain;charset=utf-8' }))
  link.download = name
  link.click()
  if ('text' in from) setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
