/** The text of collections and batches. */
import { number } from '../../ui/locale'

export const text = {
  batch: {
    of: (n: number, all: number) => `${number(n)} of ${number(all)}`,
    ofWentWell: (well: number, done: number) => `${number(well)} of ${number(done)} succeeded`,
    itWentWell: 'It succeeded',
    allWentWell: (done: number) => `All ${number(done)} succeeded`,
    cancelledAfterOf: (done: number, all: number) => `Cancelled after ${number(done)} of ${number(all)}`,
    notSent: (how: string, rest: number) => `${how}; ${number(rest)} ${rest === 1 ? 'was' : 'were'} not sent`,
    willChangeNothing: (writes: string, portal: string) =>
      `${writes} will change ${portal} without further confirmation.`,
  },
  library: {
    besideAllCollections: 'Outside any collection',
  },
} as const
