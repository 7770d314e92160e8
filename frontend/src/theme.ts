import type { Theme } from './client'

/** Sets the page's colours. `systemIsLight` decides for the theme `system`. */
export function followTheme(theme: Theme, systemIsLight: boolean) {
  const shown = theme === 'system' ? (systemIsLight ? 'light' : 'dark') : theme
  if (document.documentElement.dataset.theme !== shown) document.documentElement.dataset.theme = shown
}
