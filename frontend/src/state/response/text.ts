/** The names of what a response is compared with. */
export const text = {
  example: (name: string) => `Example: ${name}`,
} as const
