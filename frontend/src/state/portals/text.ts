/** The text of switching portals and of their connection. */
export const text = {
  ask: {
    wantsToKnow: (name: string) => `${name} requires you to sign in`,
    editPortal: 'Edit portal',
    refusesTheCredential: (name: string) => `${name} rejected its saved credential`,
  },
  portals: {
    stillAtIts: (name: string) => `Not switched: edits at ${name} are not saved yet`,
    thatPortalIs: 'that portal is no longer in your list',
    notSwitched: (message: string) => `Not switched: ${message}`,
    catalogOf: (name: string, catalogFrom: string) => `Loaded the API catalog of ${name} from ${catalogFrom}`,
    showsNoCatalog: (name: string) => `${name} has no API catalog: using the built-in catalog`,
    noCatalogRead: (message: string) => `Catalog not loaded: ${message}`,
    isReadOnly: (name: string) => `${name} is now read-only`,
    canBeChanged: (name: string) => `${name} is unlocked`,
    notChanged: (message: string) => `Not changed: ${message}`,
  },
  reach: {
    editPortal: 'Edit portal',
    tryAgain: 'Try again',
    cannotBeUsed: (name: string, message: string) => `${name} is unavailable: ${message}. Its tabs are open.`,
  },
} as const
