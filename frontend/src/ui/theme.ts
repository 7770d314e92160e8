/** Sets the page's colours. */
export function followTheme(shown: 'dark' | 'light') {
  if (document.documentElement.dataset.theme !== shown) document.documentElement.dataset.theme = shown
}
