/** The text of the dialog that shares a collection. */

export const text = {
  share: (name: string) => `Share ${name}`,
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
