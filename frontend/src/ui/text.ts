/** The text of the pieces that all views share, all in one place. */
import { number } from './locale'

export const text = {
  notLoaded: 'This part of the page could not be loaded. Reload the page.',
  units: { s: 's', min: 'min', h: 'h' },
  dismiss: 'Dismiss',
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
    htmlShownAs: 'HTML, shown as text: nothing in it runs.',
    xmlShownAs: 'XML, shown as text.',
  },
} as const
