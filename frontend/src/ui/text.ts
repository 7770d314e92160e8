/** The text of the pieces that all views share, all in one place. */

export const text = {
  notLoaded: 'This part of the page could not be loaded. Reload the page.',
  shortcuts: { title: 'Keyboard shortcuts', search: 'Search shortcuts', searchHint: 'Search', change: 'Change keys', print: 'Print', close: 'Close', all: 'Shortcuts', none: (words: string) => `No shortcut matches “${words}”.` },
  units: { s: 's', min: 'min', h: 'h' },
  dismiss: 'Dismiss',
  showThem: 'Show them',
  savedTo: (path: string) => `Saved to ${path}`,
} as const
