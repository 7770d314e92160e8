import { asWhom } from '../../portals/environment'
import type { Source } from '../entries'
import { text } from '../text'

/** The other portals. */
export default {
  group: 'Portals',
  order: 60,
  signs: '>#',
  most: 6,
  first: 0,
  list: (app) =>
    app.portals.all
      .filter((p) => p.id !== app.portal.id)
      .map((p) => ({
        id: `portal-${p.id}`,
        text: text.portals.switchTo(p.name),
        hint: p.address,
        words: `portal ${p.environment} ${p.remote ? asWhom(p) : ''}`,
        key: '',
        icon: 'globe',
        run: () => void app.portals.switchTo(p.id),
      })),
} satisfies Source
