import type { Verb } from './verb'

const files = import.meta.glob<Verb>('./verbs/*.ts', { eager: true, import: 'default' })

/** The verbs of the palette. To add a verb, add a file in verbs/ that exports it as default. */
export const verbs: Verb[] = Object.values(files)
