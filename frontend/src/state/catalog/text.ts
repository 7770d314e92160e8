/** The text of the endpoint catalog. */
import { number } from '../../ui/locale'

export const text = {
  /** Synonyms of the verbs that summaries use. */
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
