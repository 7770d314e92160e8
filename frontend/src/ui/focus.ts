/**
 * Keeps the focus on the page: when the focused element is removed or disabled, the nearest
 * remaining one gets the focus. After a dialog or a menu, that is the previously focused element;
 * for a removed row, the next row; for a pane, the same pane of the new content. A button that is
 * disabled while it works gets the focus back afterwards, unless a key was pressed meanwhile.
 */
const layers = 'dialog, [role="dialog"], [role="menu"], [popover]'
const takers =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex], .cm-content'

/** An element that had the focus, and its ancestors; `at` is its index in its parent. */
type Trail = { element: HTMLElement; at: number }[]

export function keepFocus(page: Document): () => void {
  const has = page.activeElement as HTMLElement | null
  let trail: Trail = has && has !== page.body ? trailOf(has) : []
  let planned = 0
  const before = new WeakMap<Element, Trail>()
  /** A disabled element that had the focus, and the one that has it instead. */
  let lent: { from: HTMLElement; to: HTMLElement } | undefined

  function onfocusin(e: FocusEvent) {
    const now = trailOf(e.target as HTMLElement)
    const layer = now[0]?.element.closest(layers)
    // not between two elements of the same layer, even a removed one
    if (layer && trail.length && !trail.some(({ element }) => element === layer)) before.set(layer, trail)
    trail = now
  }

  function check() {
    planned = 0
    if (!isLost(page, trail)) return
    const from = trail[0].element
    const to = heir(page, trail, before)
    trail = []
    to?.focus({ preventScroll: true })
    lent = to && from.matches(':disabled') ? { from, to } : undefined
  }

  function giveBack() {
    if (!lent || !canHave(lent.from)) return
    if (page.activeElement === lent.to) lent.from.focus({ preventScroll: true })
    lent = undefined
  }

  const plan = () => (planned ||= requestAnimationFrame(check))
  const watch = new MutationObserver(() => {
    giveBack()
    const had = trail[0]?.element
    if (had && (!had.isConnected || page.activeElement === page.body || had.matches(':disabled'))) plan()
  })
  const onpointerup = () => {
    if (page.activeElement === page.body) trail = []
  } // closed by a click beside it
  const onkeydown = () => (lent = undefined)

  page.addEventListener('focusin', onfocusin)
  page.addEventListener('pointerup', onpointerup, true)
  page.addEventListener('keydown', onkeydown, true)
  watch.observe(page.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'open'],
  })
  return () => {
    page.removeEventListener('focusin', onfocusin)
    page.removeEventListener('pointerup', onpointerup, true)
    page.removeEventListener('keydown', onkeydown, true)
    watch.disconnect()
    cancelAnimationFrame(planned)
  }
}

function trailOf(element: HTMLElement): Trail {
  const trail: Trail = []
  for (let e: HTMLElement | null = element; e; e = e.parentElement)
    trail.push({ element: e, at: e.parentElement ? [...e.parentElement.children].indexOf(e) : 0 })
  return trail
}

function isLost(page: Document, trail: Trail): boolean {
  const had = trail[0]?.element
  return had !== undefined && [null, page.body, had].includes(page.activeElement as HTMLElement | null) && !canHave(had)
}

function heir(page: Document, trail: Trail, before: WeakMap<Element, Trail>): HTMLElement | undefined {
  for (const { element } of trail) {
    const outside = element.matches(layers) && !visible(element) ? before.get(element) : undefined
    if (outside?.length) return canHave(outside[0].element) ? outside[0].element : heir(page, outside, before)
  }
  const gone = Math.max(
    0,
    trail.findLastIndex(({ element }) => !element.isConnected),
  )
  const same = trail
    .slice(0, gone + 1)
    .flatMap(({ element }) => element.dataset.pane ?? [])
    .map((pane) => first(page.querySelector(`[data-pane="${pane === 'welcome' ? 'request' : pane}"]`)))
    .find(Boolean)
  if (same) return same
  for (let i = gone + 1; i < trail.length; i++) {
    const found = beside(trail[i].element, trail[i - 1].at)
    if (found) return found
    // the next screen is still loading: the next Tab moves into it, not past it
    if (trail[i].element.matches('main[tabindex]')) return trail[i].element
  }
}

/** Returns the element after a removed one in a container, or else the one before it. */
function beside(container: HTMLElement | undefined, at: number): HTMLElement | undefined {
  const all = [...(container?.children ?? [])]
  for (const child of [...all.slice(at), ...all.slice(0, at).reverse()]) {
    const found = canHave(child) && child.matches(takers) ? (child as HTMLElement) : first(child)
    if (found) return found
  }
}

/** Returns the first focusable element, preferably a text field that the Tab key reaches. */
function first(container: Element | null): HTMLElement | undefined {
  const all = [...(container?.querySelectorAll<HTMLElement>(takers) ?? [])].filter((e) => e.tabIndex >= 0 && canHave(e))
  return all.find((e) => e.matches('[data-pane="request"] input')) ?? all[0]
}

const visible = (e: Element) => e.isConnected && e.getClientRects().length > 0
const canHave = (e: Element) => visible(e) && !e.matches(':disabled')
