import { sections } from '../../monitor/settings/sections'
import type { Source } from '../entries'

/** The sections of the built-in portal's settings, and new objects in them. */
export default {
  group: 'Portal settings',
  order: 30,
  prefixes: '>',
  most: 5,
  first: 0,
  list: (app) =>
    (app.portal.remote ? [] : sections).flatMap((s) => [
      {
        id: `settings ${s.id}`,
        text: s.label,
        hint: s.group,
        words: `settings ${s.words}`,
        key: '',
        icon: s.icon,
        run: () => app.navigation.watch('settings', s.id),
      },
      ...(s.add
        ? [
            {
              id: `settings ${s.id} new`,
              text: s.add,
              hint: s.label,
              words: 'settings new',
              key: '',
              icon: 'plus' as const,
              run: () => app.navigation.watch('settings', s.id, { row: 'new' }),
            },
          ]
        : []),
    ]),
} satisfies Source
