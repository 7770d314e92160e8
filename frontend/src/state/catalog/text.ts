/** The text of the catalog as a list of endpoints, all in one place. */
import { number } from '../../ui/locale'

export const text = {
  /** What people say for the verbs of the summaries. */
  verbs: {
    create: 'add',
    new: 'add',
    make: 'add',
    insert: 'add',
    delete: 'remove',
    erase: 'remove',
    update: 'change',
    edit: 'change',
    modify: 'change',
    set: 'change',
    show: 'get',
    read: 'get',
    view: 'get',
    fetch: 'get',
    find: 'list',
  } as Record<string, string | undefined>,
  schema: {
    oneOf: (n: number) => `one of ${number(n)}`,
    max: (maximum: string) => `max ${maximum}`,
  },
} as const
