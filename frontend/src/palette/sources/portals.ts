import { asWhom } from '../../portals/environment'
import type { Source } from '../entries'
import { text } from '../text'

const few = { order: 60, most: 6, first: 0 }

/** The other portals, and the other environments of this one. */
export default [
  {
    ...few,
    group: 'Portals',
    prefixes: '>#',
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
  },
  {
    ...few,
    group: 'Environments',
    prefixes: '>',
    list: (app) => {
      const { active, environments } = app.variables
      return [...(active ? [{ id: 0, name: text.environments.none }] : []), ...environments]
        .filter((e) => e !== active)
        .map((e) => ({
          id: `environment-${e.id}`,
          text: text.environments.switchTo(e.name),
          hint: app.portal.name,
          words: 'variables',
          key: '',
          icon: 'braces',
          run: () => void app.variables.use(e.id).catch((error: unknown) => app.saveFailed(error)),
        }))
    },
  },
] satisfies Source[]
