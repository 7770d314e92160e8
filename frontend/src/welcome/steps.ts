import type { View } from '../client'

/** One stop of the tour: where it is, and what one can do there. Keys stand in it as `[command]`. */
export interface Step {
  view: View
  /** What is pointed at. */
  at: string
  title: string
  text: string
}

export const steps: readonly Step[] = [
  { view: 'api', at: '[data-pane="catalog"]', title: 'Every request the portal answers', text: '[catalog.search] searches by path, field or purpose. Choosing one fills a request; what you have edited is never overwritten.' },
  { view: 'api', at: '[data-pane="request"]', title: 'Fill it in and send it', text: 'Ids, fields and values are offered as you type. [request.send] sends; nothing leaves this computer but what you send to a portal elsewhere.' },
  { view: 'api', at: '[data-pane="response"]', title: 'Read the answer', text: 'As a tree, a table or a chart, of any size. Snippets has the same request as a script that runs.' },
  { view: 'api', at: '[data-pane="tools"]', title: 'Keep what you need', text: 'Docs follow the path. History has every request and its answer; a value of one answer becomes a variable of the next.' },
  { view: 'monitor', at: 'main[aria-label="Monitor"]', title: 'See the portal at work', text: 'What is wrong now, live. Every screen opens the request behind it in the API Explorer. [palette] finds all the rest.' },
]

/** Where a card of a size goes beside a part of the page: right of it, left of it, or inside at its top. */
export function beside(part: { left: number; top: number; right: number; bottom: number }, card: { width: number; height: number }, page: { width: number; height: number }) {
  const gap = 12
  const fit = (at: number, size: number, room: number) => Math.max(gap, Math.min(at, room - size - gap))
  const top = fit(part.top + 48, card.height, page.height)
  if (part.right + gap + card.width + gap <= page.width) return { left: part.right + gap, top }
  if (part.left - gap - card.width >= gap) return { left: part.left - gap - card.width, top }
  return { left: fit((part.left + part.right - card.width) / 2, card.width, page.width), top: fit((part.top + part.bottom - card.height) / 2, card.height, page.height) }
}
