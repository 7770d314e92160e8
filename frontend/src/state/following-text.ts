/** The text about changes of collections by others. */
import { counted, series } from '../ui/locale'

export const text = {
  undo: 'Undo',
  deletedOnDisk: (collection: string, what: string | number) =>
    typeof what === 'number'
      ? `${counted(what, 'entry', 'entries')} of ${collection} were deleted on disk`
      : `${what} was deleted on disk`,
  changedTwice: (copies: string[]) => `Changed on disk and here. Your version: ${series(copies)}`,
} as const
