/** The languages of snippets and scripts, as in Go, until the first response. */
import { text } from './text'

export const languages = [
  { id: 'curl', label: text.languages.curl, extension: 'sh' },
  { id: 'python', label: text.languages.python, extension: 'py' },
  { id: 'javascript', label: text.languages.javascript, extension: 'js' },
  { id: 'go', label: text.languages.go, extension: 'go' },
  { id: 'powershell', label: text.languages.powershell, extension: 'ps1' },
  { id: 'groovy', label: text.languages.groovy, extension: 'groovy' },
]
