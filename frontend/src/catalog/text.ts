/** The text of the endpoint catalog. */
import { number } from '../ui/locale'

export const text = {
  catalog: {
    madeFavourite: (id: string, had: boolean) => `${had ? 'Removed' : 'Added'} ${id} ${had ? 'from' : 'to'} favourites`,
    searchEndpoints: 'Search endpoints',
    clearSearch: 'Clear search',
    endpoint: (n: number) => `${number(n)} ${n === 1 ? 'endpoint' : 'endpoints'}`,
    fMakesA: 'Press F to add it to favourites.',
    noCatalog: 'No catalog',
    tryAgain: 'Try again',
    noEndpointMatches: 'No endpoints match',
    fewerOrShorter: 'Try fewer or shorter words.',
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
