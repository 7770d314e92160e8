import type { Source } from '../entries'
import { text } from '../text'

export default {
  group: 'Tabs',
  order: 50,
  prefixes: '#',
  most: 6,
  first: 4,
  list: (app) =>
    app.workspace.tabs.map((tab) => ({
      id: `tab ${tab.key}`,
      text: tab.name || tab.draft.path || text.tabs.untitledRequest,
      words: tab.draft.method,
      key: '',
      method: tab.draft.method,
      hint: [tab === app.workspace.active ? text.tabs.currentTab : tab.name && tab.draft.path, tab.values.slice(0, 80)]
        .filter(Boolean)
        .join(' · '),
      run: () => {
        app.navigation.go('api')
        app.workspace.activate(tab)
      },
    })),
} satisfies Source
