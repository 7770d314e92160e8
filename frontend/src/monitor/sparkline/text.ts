/** The text of a small chart in a row, for screen readers and as a tooltip. */
export const text = {
  last: (name: string, hours: number, min: string, max: string, last: string) =>
    `${name && `${name}, `}last ${hours} hours: min ${min}, max ${max}, last ${last}`,
} as const
