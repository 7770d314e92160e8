/** The text of signing in, all in one place. */

export const text = {
  title: 'Spyglass', goes: 'Sign in to the portal.',
  again: 'Sign in again', againGoes: 'The session has ended. What you typed is still here.',
  name: 'User name', password: 'Password', signIn: 'Sign in',
  noName: 'Type your user name.', noPassword: 'Type your password.', wrong: 'The user name or the password is wrong.',
  tooMany: (wait: string) => `Too many tries. ${wait}.`, now: 'You can try again now.',
  wait: (minutes: number, seconds: number) => `Try again in ${[...(minutes ? [`${minutes} min`] : []), ...(seconds || !minutes ? [`${seconds} s`] : [])].join(' ')}`,
  sentence: (words: string) => (words.endsWith('.') ? words : `${words}.`),
} as const
