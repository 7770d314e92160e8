import { sections } from '../../monitor/settings/sections'
import type { Source } from '../entries'
import { text } from '../text'

/** The sections of the built-in portal's settings. */
export const settings: Source = {
  group: text.settings.settings,
  signs: '>',
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
}
