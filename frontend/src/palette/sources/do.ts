import type { Source } from '../entries'
import { text } from '../text'

/** Actions that begin with a verb: a hint for each verb, and the possible actions of the typed verb. */
export default [
  {
    group: text.verbs.hints,
    order: 25,
    prefixes: '>',
    most: 6,
    first: 0,
    exact: true,
    ask: async (app, query) => (await import('../doing')).hints(app, query),
  },
  {
    group: text.verbs.does,
    order: 85,
    prefixes: '>',
    most: 8,
    first: 0,
    exact: true,
    ask: async (app, query, signal) => (await import('../doing')).plans(app, query, signal),
  },
] satisfies Source[]
