/**
 * Resolves a moment after the paint, when views have sent their requests: for work that is not
 * urgent.
 */
export async function quiet() {
  await painted()
  if (globalThis.document?.visibilityState === 'visible') await new Promise((done) => setTimeout(done, 1000))
}

/** Resolves after the next paint; immediately in a hidden window, which is not painted. */
export function painted(): Promise<void> {
  return new Promise((done) => {
    if (globalThis.document?.visibilityState === 'visible') requestAnimationFrame(() => setTimeout(done))
    else done()
  })
}

/**
 * Resolves at the first input of the user, but not before the page is quiet: for code that is not needed until then.
 */
export async function touched() {
  await Promise.all([(sign ??= firstSign()), quiet()])
}

let sign: Promise<void> | undefined

function firstSign(): Promise<void> {
  return new Promise((done) => {
    if (!globalThis.document) return done()
    const heard = new AbortController()
    for (const kind of ['pointermove', 'pointerdown', 'wheel', 'keydown']) {
      document.addEventListener(
        kind,
        () => {
          heard.abort()
          done()
        },
        { capture: true, passive: true, signal: heard.signal },
      )
    }
  })
}
