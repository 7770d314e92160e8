/** The text of failed requests to Spyglass itself. */

export const text = {
  cancelled: 'Cancelled',
  silent: (host: string) => `Spyglass at ${host} is not responding`,
  returned: (status: number) => `The portal returned ${status}`,
} as const
