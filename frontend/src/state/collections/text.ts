/** The text of the library and of batches, all in one place. */
import { number } from '../../ui/locale'

export const text = {
  batch: {
    of: (n: number, all: number) => `${number(n)} of ${number(all)}`,
    ofWentWell: (well: number, done: number) => `${number(well)} of ${number(done)} went well`,
    itWentWell: 'It went well',
    allWentWell: (done: number) => `All ${number(done)} went well`,
    cancelledAfterOf: (done: number, all: number) => `Cancelled after ${number(done)} of ${number(all)}`,
    notSent: (how: string, rest: number) => `${how}; ${number(rest)} ${rest === 1 ? 'was' : 'were'} not sent`,
    willChangeNothing: (writes: string, portal: string) => `${writes} will change ${portal}; nothing more is asked.`,
  },
  library: {
    besideAllCollections: 'Beside all collections',
  },
} as const
