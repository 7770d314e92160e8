import type { FileFormat } from '../client/collections'

/** What can be imported, each program's formats once. */
export const familiesOf = (formats: FileFormat[]): string[] => [...new Set(formats.map((f) => f.family))]
