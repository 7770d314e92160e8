/**
 * uPlot reads the language of the page when it loads, and fails if it is invalid: WebKit reports "C" on a system
 * without one.
 */
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true })
}
