import type { FileFormat } from '../client/collections'

/** Returns the programs whose files can be imported, without duplicates. */
export const familiesOf = (formats: FileFormat[]): string[] => [...new Set(formats.map((f) => f.family))]
