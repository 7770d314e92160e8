import type { Source } from '../entries'
import { text } from '../text'

/**
 * Parameters and fields by name. They open the docs of an endpoint that has them, preferably the
 * current one.
 */
export default {
  group: 'Docs',
  order: 80,
  prefixes: '',
  most: 6,
  first: 0,
  list: (app) =>
    app.catalog.names.map(({ name, endpoints }) => ({
      id: `docs ${name}`,
      text: name,
      words: 'field parameter docs',
      key: '',
      icon: 'book',
      hint: text.docs.of(endpoints[0].id, endpoints.length - 1),
      run() {
        const open = app.workspace.active?.draft.endpoint
        if (!open || !endpoints.includes(open)) app.navigation.chooseEndpoint(endpoints[0])
        app.navigation.findInDocs(name)
      },
    })),
} satisfies Source
