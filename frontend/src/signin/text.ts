/** The text of the sign-in page. */
import { wait } from '../ui/wait'

export const text = {
  title: 'Spyglass',
  goes: 'Sign in to the portal.',
  again: 'Sign in again',
  againGoes: 'The session has ended. What you typed is still here.',
  name: 'User name',
  password: 'Password',
  signIn: 'Sign in',
  signInWith: (provider: string) => `Sign in with ${provider}`,
  hint: ['A new portal prints its passwords when it starts.', 'To set a new password, run ', ' on its machine.'],
  command: 'spyglass user password NAME',
  noName: 'Type your user name.',
  noPassword: 'Type your password.',
  code: 'Code of your authenticator app',
  codeHint: 'Or one of your recovery codes.',
  back: 'Back',
  noCode: 'Type a code.',
  wrongCode: 'The code is wrong or was used already. Type the next one.',
  wrong: 'The user name or the password is wrong.',
  tooMany: (seconds: number) => `Too many attempts. Try again in ${wait(seconds)}.`,
  now: 'You can try again now.',
  sentence: (words: string) => (words.endsWith('.') ? words : `${words}.`),
} as const
