/** Does one step of a test that goes on where the step before ended; a failure says which step it was. */
export async function step(name: string, act: () => Promise<void>) {
  try {
    await act()
  } catch (e) {
    if (e instanceof Error) e.message = `${name}: ${e.message}`
    throw e
  }
}
