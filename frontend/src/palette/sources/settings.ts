import { sections } from '../../monitor/settings/sections'
import type { Source } from '../entries'

/** The sections of the built-in portal's settings. */
export default {
  group: 'Portal settings',
  order: 30,
  prefixes: '>',
  most: 5,
  first: 0,
  list: (app) =>
    (app.portal.remote ? [] : sections).map((s) => ({
      id: `settings ${s.id}`,
      text: s.label,
      hint: s.group,
      words: `settings ${s.words}`,
      key: '',
      icon: s.icon,
      run: () => app.navigation.watch('settings', s.id),
    })),
} satisfies Source
