/** What the page says of requests to its own program that come to nothing, all in one place. */

export const text = {
  cancelled: 'Cancelled',
  silent: (host: string) => `Spyglass at ${host} does not answer`,
  answered: (status: number) => `The portal answered ${status}`,
} as const
