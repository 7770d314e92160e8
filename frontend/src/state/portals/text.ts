/** The text of switching portals and of their connection. */
export const text = {
  dialog: {
    requiresSignIn: (name: string) => `${name} requires you to sign in`,
    editPortal: 'Edit portal',
    rejectedCredential: (name: string) => `${name} rejected its saved credential`,
  },
  portals: {
    unsavedEdits: (name: string) => `Not switched: edits at ${name} are not saved yet`,
    noLongerListed: 'that portal is no longer in your list',
    notSwitched: (message: string) => `Not switched: ${message}`,
    catalogOf: (name: string, catalogFrom: string) => `Loaded the API catalog of ${name} from ${catalogFrom}`,
    hasNoCatalog: (name: string) => `${name} has no API catalog: using the built-in catalog`,
    catalogNotLoaded: (message: string) => `Catalog not loaded: ${message}`,
    isReadOnly: (name: string) => `${name} is now read-only`,
    isUnlocked: (name: string) => `${name} is unlocked`,
    notChanged: (message: string) => `Not changed: ${message}`,
  },
  reach: {
    editPortal: 'Edit portal',
    tryAgain: 'Try again',
    isUnavailable: (name: string, message: string) => `${name} is unavailable: ${message}. Its tabs are open.`,
  },
} as const
