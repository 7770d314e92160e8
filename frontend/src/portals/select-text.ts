/** The text of the select of environments, which is loaded with it. */
export const text = {
  environment: 'Environment',
  none: 'No environment',
} as const
