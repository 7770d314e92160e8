/** The text of the catalog of endpoints, all in one place: what a translator needs of it. */
import { number } from '../ui/locale'

export const text = {
  catalog: {
    madeFavourite: (id: string, had: boolean) => `${id} ${had ? 'is no favourite any more' : 'is a favourite'}`,
    searchEndpoints: 'Search endpoints',
    clearSearch: 'Clear search',
    endpoint: (n: number) => `${number(n)} ${n === 1 ? 'endpoint' : 'endpoints'}`,
    fMakesA: 'F makes a favourite of it.',
    noCatalog: 'No catalog',
    tryAgain: 'Try again',
    noEndpointMatches: 'No endpoint matches',
    fewerOrShorter: 'Fewer or shorter words find more.',
    endpoints: 'Endpoints',
    deprecated: '· deprecated',
    administratorsOnly: 'Administrators only',
    removeFromFavourites: 'Remove from favourites (F)',
    addToFavourites: 'Add to favourites (F)',
  },
  tree: {
    favourites: 'Favourites',
    recent: 'Recent',
  },
} as const
