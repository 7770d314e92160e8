/** The text of the dialog that shares a collection. */

export const text = {
  share: (name: string) => (name ? `Share ${name}` : 'Share a collection'),
  collection: 'Collection',
  none: 'There is no collection to share.',
  users: 'Users',
  noUser: (typed: string) => (typed ? `No user “${typed}”` : 'There are no other users'),
  why: 'Others never see your secrets, and send requests with their own permissions.',
  user: 'User',
  everybody: 'Everybody',
  permission: 'Permission',
  permissionOf: (name: string) => `Permission of ${name}`,
  read: 'View',
  edit: 'Edit',
  add: 'Share',
  stop: 'Stop sharing',
  stopWith: (name: string) => `Stop sharing with ${name}`,
  close: 'Close',
} as const
