import type { Source } from '../entries'

export const tabs: Source = {
  group: 'Tabs', signs: '#', most: 6, first: 4,
  list: (app) => app.workspace.tabs.map((tab) => ({
    id: `tab ${tab.key}`, text: tab.name || tab.draft.path || 'Untitled request', words: tab.draft.method, key: '', method: tab.draft.method,
    hint: tab === app.workspace.active ? 'current tab' : tab.name ? tab.draft.path : '',
    run: () => { app.go('api'); app.workspace.activate(tab) },
  })),
}
