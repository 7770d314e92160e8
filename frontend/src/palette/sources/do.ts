import type { Source } from '../entries'
import { loading } from '../loading'
import { text } from '../text'

const code = loading(() => import('../doing'))

/** Actions that begin with a verb: a hint for each verb, and the possible actions of the typed verb. */
export default [
  {
    group: text.verbs.hints,
    order: 25,
    prefixes: '>',
    most: 6,
    first: 0,
    exact: true,
    find: (app, query) => code(({ hints }) => hints(app, query)),
  },
  {
    group: text.verbs.does,
    order: 85,
    prefixes: '>',
    most: 8,
    first: 0,
    exact: true,
    find: (app, query, signal) => code(({ plans }) => plans(app, query, signal)),
  },
] satisfies Source[]
