import type { Source } from '../entries'
import { text } from '../text'

export default {
  group: 'Variables',
  order: 70,
  prefixes: '',
  most: 5,
  first: 0,
  list: (app) =>
    app.variables.inUse.map((v) => ({
      id: `variable ${v.scope} ${v.name}`,
      text: `{{${v.name}}}`,
      hint: v.secret ? text.variables.secret : v.value.slice(0, 80),
      words: `variable ${v.scope}`,
      key: v.of ?? v.scope,
      icon: 'braces',
      run: () => void app.navigation.enterPanel('variables'),
    })),
} satisfies Source
