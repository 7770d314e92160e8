import type { Source } from '../entries'
import { text } from '../text'

/** Things to do by typing them: hints for each verb, and what the typed one would do. */
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
