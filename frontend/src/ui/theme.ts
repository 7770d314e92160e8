/** Sets the page's colors. */
export function followTheme(shown: 'dark' | 'light') {
  if (document.documentElement.dataset.theme !== shown) document.documentElement.dataset.theme = shown
}
