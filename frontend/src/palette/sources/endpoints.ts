import type { App } from '../../state/app.svelte'
import type { Source } from '../entries'

export default {
  group: 'Endpoints',
  order: 40,
  prefixes: '/#',
  most: 30,
  first: 4,
  list: (app) =>
    app.catalog.endpoints.map((e) => ({
      id: e.id,
      text: e.path,
      hint: e.summary,
      words: `${e.method} ${e.category}`,
      key: e.category,
      method: e.method,
      run: () => {
        app.navigation.chooseEndpoint(e)
        focusRequest(app)
      },
      runInTab: () => {
        app.navigation.newTab()
        app.navigation.chooseEndpoint(e)
        focusRequest(app)
      },
    })),
} satisfies Source

/** Focuses the request, for further typing. */
const focusRequest = (app: App) => void app.navigation.shown().then(() => app.commands.runIfOffered('path.focus'))
