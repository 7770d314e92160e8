/**
 * Makes what is kept longer than the component that asks for it: what is derived in it then belongs to no component,
 * and goes on following.
 */
export function lasting<T>(make: () => T): T {
  let made: T
  $effect.root(() => {
    made = make()
  })
  return made!
}
