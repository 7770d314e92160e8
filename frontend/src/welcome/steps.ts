import type { View } from '../client'
import { text } from './text'

/**
 * A step of the tour: its target and its text. `[command]` is replaced by the shortcut of a
 * command.
 */
export interface Step {
  view: View
  /** The target. */
  at: string
  title: string
  text: string
}

const stop = (view: View, at: string, [title, text]: readonly [string, string]): Step => ({ view, at, title, text })

export const steps: readonly Step[] = [
  stop('api', '[data-pane="catalog"]', text.steps.catalog),
  stop('api', '[data-pane="request"]', text.steps.request),
  stop('api', '[data-pane="response"]', text.steps.response),
  stop('api', '[data-pane="tools"]', text.steps.tools),
  stop('monitor', 'main.monitor', text.steps.monitor),
]

/** Returns the position of a card beside a part of the page: right of it, left of it, or inside at its top. */
export function beside(
  part: { left: number; top: number; right: number; bottom: number },
  card: { width: number; height: number },
  page: { width: number; height: number },
) {
  const gap = 12
  const fit = (at: number, size: number, room: number) => Math.max(gap, Math.min(at, room - size - gap))
  const top = fit(part.top + 48, card.height, page.height)
  if (part.right + gap + card.width + gap <= page.width) return { left: part.right + gap, top }
  if (part.left - gap - card.width >= gap) return { left: part.left - gap - card.width, top }
  return {
    left: fit((part.left + part.right - card.width) / 2, card.width, page.width),
    top: fit((part.top + part.bottom - card.height) / 2, card.height, page.height),
  }
}
