/**
 * Returns a function that runs code which is loaded at its first use, and from then on at once: each import() takes a
 * task of its own, which the browser runs after the next frame while the user types.
 */
export function loading<C>(load: () => Promise<C>) {
  let code: C | undefined
  return <T>(run: (code: C) => T | Promise<T>): T | Promise<T> =>
    code ? run(code) : load().then((loaded) => run((code = loaded)))
}
