/** Runs a step of a test that continues where the previous step ended. A failure names the step. */
export async function step(name: string, act: () => Promise<void>) {
  try {
    await act()
  } catch (e) {
    if (e instanceof Error) e.message = `${name}: ${e.message}`
    throw e
  }
}
