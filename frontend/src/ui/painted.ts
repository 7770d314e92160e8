/** Resolves when the page has been painted as it is now; at once where nothing is, as in a hidden window. */
export function painted(): Promise<void> {
  return new Promise((done) => {
    if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(() => setTimeout(done))
    else done()
  })
}
