/** The text of shared components. */
import { number } from './locale'

export const text = {
  notLoaded: 'Could not load this part of the page. Reload the page.',
  units: { s: 's', min: 'min', h: 'h' },
  dismiss: 'Dismiss',
  undo: 'Undo',
  undone: (what: string) => `Undone: ${what}`,
  showThem: 'Show them',
  savedTo: (path: string) => `Saved to ${path}`,
  clipboard: {
    copied: (what: string) => `Copied ${what}`,
    notCopied: (x: string) => `Not copied: ${x}`,
  },
  status: {
    minutes: (min: number, s: number) => `${number(min)} min ${number(s)} s`,
    items: (n: number) => `${n} ${n === 1 ? 'item' : 'items'}`,
    partial: 'partial',
    notKept: 'not in history',
    htmlShownAs: 'HTML, shown as plain text.',
    xmlShownAs: 'XML, shown as plain text.',
  },
} as const
