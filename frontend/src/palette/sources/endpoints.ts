import type { Source } from '../entries'

export const endpoints: Source = {
  group: 'Endpoints', signs: '/#', most: 30, first: 4,
  list: (app) => app.catalog.endpoints.map((e) => ({
    id: e.id, text: e.path, hint: e.summary, words: `${e.method} ${e.category}`, key: e.category, method: e.method,
    run: () => void app.chooseEndpoint(e),
    runInTab: () => { app.newTab(); app.chooseEndpoint(e) },
  })),
}
