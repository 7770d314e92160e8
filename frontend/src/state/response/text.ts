/** The names of the responses to compare with. */
export const text = {
  example: (name: string) => `Example: ${name}`,
} as const
