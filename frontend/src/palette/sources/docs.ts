import type { Source } from '../entries'

/** Parameters and fields by name: opens the docs of an endpoint that has it, at hand if the open one does. */
export const docs: Source = {
  group: 'Docs', signs: '', most: 6, first: 0,
  list: (app) => app.catalog.names.map(({ name, endpoints }) => ({
    id: `docs ${name}`, text: name, words: 'field parameter docs', key: '', icon: 'book',
    hint: `${endpoints[0].id}${endpoints.length > 1 ? ` and ${endpoints.length - 1} more` : ''}`,
    run() {
      const open = app.workspace.active?.draft.endpoint
      if (!open || !endpoints.includes(open)) app.chooseEndpoint(endpoints[0])
      app.findInDocs(name)
    },
  })),
}
