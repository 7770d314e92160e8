/** The text of which portal is shown and whether it answers, all in one place. */
export const text = {
  ask: {
    wantsToKnow: (name: string) => `${name} wants to know who asks`,
    editPortal: 'Edit portal',
    refusesTheCredential: (name: string) => `${name} refuses the credential that is kept for it`,
  },
  portals: {
    stillAtIts: (name: string) => `Still at ${name}: its edits could not be saved yet`,
    thatPortalIs: 'that portal is no longer in your list',
    notSwitched: (message: string) => `Not switched: ${message}`,
    catalogOf: (name: string, catalogFrom: string) => `Catalog of ${name}: ${catalogFrom}`,
    showsNoCatalog: (name: string) => `${name} shows no catalog of its own; the built-in one stands in`,
    noCatalogRead: (message: string) => `No catalog read: ${message}`,
    isReadOnly: (name: string) => `${name} is read-only now: nothing can be changed there`,
    canBeChanged: (name: string) => `${name} can be changed now`,
    notChanged: (message: string) => `Not changed: ${message}`,
  },
  reach: {
    editPortal: 'Edit portal',
    tryAgain: 'Try again',
    cannotBeUsed: (name: string, message: string) => `${name} cannot be used now: ${message}. Its tabs are here.`,
  },
} as const
