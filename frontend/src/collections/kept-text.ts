/** The text of collections that are synced with folders. */

export const text = {
  mine: (name: string) => `${name} (my change)`,
  changedElsewhere: (name: string, mine: string) => `${name} was changed elsewhere. Your version is saved as ${mine}`,
  notKept: (name: string, dir: string) => `${name} is no longer synced with ${dir}. The files stay`,
  problems: 'Problems in folders',
  keep: 'Sync with a folder',
  open: 'Open a folder as a collection',
  why: 'Each request becomes a text file, without secrets.',
  whatToOpen: 'Choose a folder with a collection.yaml.',
  collection: 'Collection',
  folder: 'Folder',
  choose: 'Choose…',
  below: (base: string) => `Below ${base}`,
  example: (base: string) => (base ? 'fleet' : '~/collections/fleet'),
  kept: (name: string, dir: string) => `${name} is synced with ${dir}`,
  opened: (dir: string) => `Opened ${dir}`,
  none: 'There is no collection to sync.',
  cancel: 'Cancel',
  keepIt: 'Sync',
  openIt: 'Open',
} as const
