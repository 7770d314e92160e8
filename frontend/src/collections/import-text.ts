/** The text of the import, which is loaded with its dialog. */
import { alternatives, counted, number } from '../ui/locale'

const variablesAnd = (n: number, environments: number) =>
  [n && counted(n, 'variable'), environments && counted(environments, 'environment')].filter(Boolean).join(' and ')

export const text = {
  importDialog: {
    outsideCollections: 'Outside any collection',
    isLargerThan: (name: string) => `${name} is larger than 32 MiB, the maximum`,
    cannotBeRead: (name: string) => `${name} cannot be read. Is it a folder?`,
    notText: (name: string) => `${name || 'This'} is not a text file`,
    imported: (n: number, variables: number, environments: number) =>
      `Imported ${n || !(variables + environments) ? counted(n, 'request') : variablesAnd(variables, environments)}`,
    severalOf: (n: number) => `${number(n)} files`,
    areNotOf: (kinds: string[]) => `To import several files at once, select only ${alternatives(kinds)} files`,
    undo: 'Undo',
    import: 'Import',
    accepted: (families: string[]) => `${alternatives(families)}, up to 32 MiB. You see a preview first.`,
    fileToImport: 'File to import',
    chooseAFile: 'Choose a file…',
    orDropOne: 'or drop one here',
    file: 'File',
    orPasteIts: 'Or paste its text',
    curlHttps: "for example: curl 'https://…'",
    curlCommands: 'cURL commands',
    found: (what: string, requests: number, folders: number) =>
      requests === 0
        ? `${what} contains no requests to import`
        : `${what}: ${counted(requests, 'request')}${folders > 1 ? ` in ${counted(folders, 'folder')}` : ''}`,
    toImport: 'Requests to import',
    into: 'Into',
    andMore: (n: number) => `… and ${number(n)} more`,
    notImported: 'Not imported',
    addToUnless: (n: number, environments: number, name: string) =>
      `Add ${variablesAnd(n, environments)} to ${name}, except names that exist there`,
    cancel: 'Cancel',
    back: 'Back',
    importRequests: (n: number) => `Import ${counted(n, 'request')}`,
    importVariables: (n: number, environments: number) => `Import ${variablesAnd(n, environments)}`,
    foundVariables: (what: string, n: number, environments: number) => `${what}: ${variablesAnd(n, environments)}`,
    takenUnless: (name: string) => `They are added to ${name}, except names that exist there.`,
    becomeSecrets: (n: number, names: string) =>
      `${n === 1 ? 'This one becomes' : 'These become'} secret, with the value in the system keyring: ${names}.`,
    read: 'Read',
  },
} as const
