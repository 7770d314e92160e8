/** The text of collections that users share. */

export const text = {
  sharedBy: (name: string) => `Shared by ${name}`,
} as const
