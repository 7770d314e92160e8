/** The text of the steps after a sign-in. */
export const steps = {
  change: 'An administrator requires a new password.',
  renewed: 'New password',
  again: 'New password again',
  tooShort: 'Type at least 8 characters.',
  differ: 'The new passwords do not match.',
  goOn: 'Change password',
  factor: 'An administrator requires two-factor authentication.',
} as const
