import { untrack } from 'svelte'
import type { Settings } from '../client'

/** A scroll position, in pixels. */
export interface Spot {
  top: number
  left: number
}

/** Time to wait for late content, in milliseconds. */
const patience = 5000
const byHand = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const
/** Minimum time between two reports, in milliseconds. */
const pace = 150

/**
 * Restores the scroll position of an element, repeatedly while its content loads, until the user scrolls; and reports
 * later positions to `left`. Returns a function that ends this. `left` may be called once after the element is removed,
 * so it must not depend on the current view.
 */
export function keepScroll(element: HTMLElement, was: Spot | undefined, left: (at: Spot) => void): () => void {
  let wanted = was && (was.top || was.left) ? was : undefined
  let at = wanted ?? { top: 0, left: 0 }
  let timer: ReturnType<typeof setTimeout> | undefined
  const content = new MutationObserver(back)
  const size = new ResizeObserver(back)
  const late = setTimeout(settle, patience)

  let set: Spot = wanted ? { top: element.scrollTop, left: element.scrollLeft } : at // reading it forces a layout
  const near = (a: number, b: number) => Math.abs(a - b) < 1.5
  /** Whether the content is still too short for the scroll position. */
  function short({ top, left }: Spot) {
    const down =
      near(element.scrollTop, top) ||
      near(element.scrollTop, Math.min(top, element.scrollHeight - element.clientHeight))
    const right =
      near(element.scrollLeft, left) ||
      near(element.scrollLeft, Math.min(left, element.scrollWidth - element.clientWidth))
    return down && right
  }

  function back() {
    if (!wanted) return
    const moved = !near(element.scrollTop, set.top) || !near(element.scrollLeft, set.left)
    if (moved && !short(wanted)) return settle() // the user has scrolled
    element.scrollTo(wanted)
    set = { top: element.scrollTop, left: element.scrollLeft }
  }

  function settle() {
    wanted = undefined
    clearTimeout(late)
    content.disconnect()
    size.disconnect()
    for (const name of byHand) element.removeEventListener(name, settle)
  }

  function tell() {
    clearTimeout(timer)
    timer = undefined
    left(at)
  }

  function onscroll() {
    if (wanted && short(wanted)) return
    settle()
    at = { top: Math.round(element.scrollTop), left: Math.round(element.scrollLeft) }
    timer ??= setTimeout(tell, pace)
  }

  element.addEventListener('scroll', onscroll, { passive: true })
  if (wanted) {
    back()
    content.observe(element, {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['style'],
    })
    size.observe(element)
    for (const name of byHand) element.addEventListener(name, settle, { passive: true })
  } else settle()
  return () => {
    if (timer) queueMicrotask(tell) // not now: during a teardown it would store the previous state
    settle()
    element.removeEventListener('scroll', onscroll)
  }
}

/**
 * Restores and stores the scroll position of a part of the page: {@attach keptScroll(app,
 * 'catalog')}.
 */
export function keptScroll(
  app: { settings: { readonly values: Settings; save(change: Settings): void } },
  name: string,
) {
  return (element: HTMLElement) =>
    keepScroll(
      element,
      untrack(() => app.settings.values.scroll?.[name]),
      (at) => app.settings.save({ scroll: { ...app.settings.values.scroll, [name]: at } }),
    )
}
