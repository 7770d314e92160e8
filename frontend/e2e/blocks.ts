/**
 * Finds the parts of a page that axe has checked before. Most states share most of the page: the catalog, the tabs,
 * the rows of a table. All functions here run in the page, so they must not refer to anything outside themselves.
 */

import type { AxeResults, ElementContext, RunOptions } from 'axe-core'

/** The data that a page keeps between calls. */
interface Kept {
  blocks: Element[]
}

/** The keys of a block, without and with the elements that cover it; null if another element refers to its contents. */
export type Keys = [bare: string, now: string] | null

/**
 * Finds the blocks of the page, such as lists, tables and their rows. Two blocks have the same key if axe cannot tell
 * them apart: they have the same elements, attributes, text (except numbers), size, visible part, colors, focus and
 * input, and their ancestors have the same attributes.
 */
export async function blocks(): Promise<Keys[]> {
  const kinds =
    'form, table, ul, ol, dl, li, tr, p, pre, [popover], [role="tree"], [role="treeitem"], [role="grid"], ' +
    '[role="row"], [role="listbox"], [role="option"], [role="menu"], [role="menuitem"], [role="toolbar"], ' +
    '[role="group"], [role="tablist"], [role="list"], [role="listitem"]'
  const ofPage =
    'header, footer, main, nav, section, aside, dialog, h1, h2, h3, h4, h5, h6, [role="heading"], [role="region"], ' +
    '[role="dialog"], [role="alertdialog"]'
  const states = [':focus', ':focus-visible', ':hover', ':checked', ':indeterminate', ':placeholder-shown', ':invalid']
  const flags = new Map<Element, string>()
  for (const state of states)
    for (const e of document.querySelectorAll(state))
      if (state !== ':hover' || !e.querySelector(kinds)) flags.set(e, (flags.get(e) ?? '') + state)

  const hash = (text: string) => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57]
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i)
      a = Math.imul(a ^ c, 2654435761)
      b = Math.imul(b ^ c, 1597334677)
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36)
  }
  const plain = (text: string) => text.replace(/\d+/g, '0')
  const tag = (e: Element) => {
    let text = `<${e.localName}`
    for (const { name, value } of e.attributes)
      text += ` ${name}=${name === 'style' || name === 'class' ? value : plain(value)}`
    return `${text}${flags.get(e) ?? ''}>`
  }
  const found: { e: Element; content: string; around: string }[] = []
  /** Returns the markup of an element, with a hash in place of each block. */
  const read = (e: Element, around: string): string => {
    const own = tag(e)
    const isBlock = e.matches(kinds) && !e.matches(ofPage) && !e.querySelector(ofPage)
    const at = isBlock ? found.push({ e, content: '', around }) - 1 : -1
    const inner = isBlock || e.childElementCount > 0 ? hash(around + own) : around
    let text = own
    for (let n = e.firstChild; n; n = n.nextSibling)
      if (n.nodeType === Node.TEXT_NODE) text += plain(n.nodeValue ?? '')
      else if (n.nodeType === Node.ELEMENT_NODE) text += read(n as Element, inner)
    if (!isBlock) return `${text}</>`
    return (found[at].content = hash(text))
  }
  read(document.body, hash(tag(document.documentElement)))

  const seen = await new Promise<Map<Element, IntersectionObserverEntry>>((done) => {
    const observer = new IntersectionObserver((entries) => {
      observer.disconnect()
      done(new Map(entries.map((entry) => [entry.target, entry])))
    })
    for (const { e } of found) observer.observe(e)
    observer.observe(document.body)
  })
  const covers = [...document.querySelectorAll('dialog[open], :popover-open, [data-testid="toast"] > *')]
  const whole = covers.map((e) => {
    const { x, y, width, height } = e.getBoundingClientRect()
    return [x, y, width, height].map(Math.round).join()
  })
  const covered = (e: Element, { intersectionRect: r }: IntersectionObserverEntry) => {
    if (!r.width || !r.height) return false
    const near = (a: DOMRectReadOnly) => a.x < r.right && a.right > r.x && a.y < r.bottom && a.bottom > r.y
    if (covers.some((c) => !c.contains(e) && !e.contains(c) && near(c.getBoundingClientRect()))) return true
    const points = [
      [r.x + 2, r.y + 2],
      [r.x + r.width / 2, r.y + r.height / 2],
      [r.right - 2, r.bottom - 2],
    ]
    return points.some(([x, y]) => {
      const hit = document.elementFromPoint(x, y)
      return hit && !e.contains(hit) && !hit.contains(e)
    })
  }
  const keys = found.map(({ e, content, around }): Keys => {
    const entry = seen.get(e)!
    const { boundingClientRect: all, intersectionRect: shown } = entry
    const size = [all.width, all.height, shown.width, shown.height].map(Math.round).join()
    const { color, backgroundColor } = getComputedStyle(e)
    const bare = hash([content, around, size, color, backgroundColor].join())
    return [bare, covered(e, entry) ? hash(bare + whole.join(';')) : bare]
  })

  // Axe needs the contents of a block that label or describe an element outside it.
  const needed = new Set<Element>()
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-owns], label[for]'))
    for (const name of ['aria-labelledby', 'aria-describedby', 'aria-owns', 'for'])
      for (const id of e.getAttribute(name)?.split(/\s+/) ?? [])
        for (let p = document.getElementById(id)?.parentElement; p && !p.contains(e); p = p.parentElement) needed.add(p)
  const ids = new Map<string, number>()
  for (const { id } of document.querySelectorAll('[id]')) ids.set(id, (ids.get(id) ?? 0) + 1)
  for (const [id, count] of ids)
    if (count > 1)
      for (const e of document.querySelectorAll(`[id="${CSS.escape(id)}"]`))
        for (let p: Element | null = e; p; p = p.parentElement) needed.add(p)
  ;(window as unknown as Kept).blocks = found.map(({ e }) => e)
  return keys.map((key, i) => (needed.has(found[i].e) ? null : key))
}

/**
 * Runs axe without the contents of the known blocks. Axe reads the page through `childNodes` and `createTreeWalker`;
 * both skip these blocks until axe is done, so the page itself does not change.
 */
export async function runWithout([known, options]: [boolean[], RunOptions]): Promise<AxeResults> {
  const { blocks, axe } = window as unknown as Kept & { axe: typeof import('axe-core') }
  const all = new Set<Node>(blocks.filter((_, i) => known[i]))
  const outer = [...all].filter((e) => {
    for (let p = e.parentNode; p; p = p.parentNode) if (all.has(p)) return false
    return e.isConnected
  })
  const walker = document.createTreeWalker.bind(document)
  try {
    for (const e of outer) Object.defineProperty(e, 'childNodes', { value: [], configurable: true })
    document.createTreeWalker = (root, what) =>
      walker(root, what, (n) => (all.has(n.parentNode!) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT))
    return await axe.run({ include: [document.documentElement], exclude: outer } as ElementContext, options)
  } finally {
    for (const e of outer) delete (e as unknown as { childNodes?: unknown }).childNodes
    delete (document as unknown as { createTreeWalker?: unknown }).createTreeWalker
  }
}
