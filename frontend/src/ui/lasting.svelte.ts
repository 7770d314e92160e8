/**
 * Creates an object that outlives the component that needs it: its derived state belongs to no component, and keeps
 * updating.
 */
export function lasting<T>(make: () => T): T {
  let made: T
  $effect.root(() => {
    made = make()
  })
  return made!
}
