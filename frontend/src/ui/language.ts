/**
 * uPlot asks for the page's language as it loads, and cannot load where that is none: WebKit says "C" on a system
 * without one.
 */
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
}
