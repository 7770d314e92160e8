/** The languages of snippets and scripts, as Go has them, for before the first answer. */
export const languages = [
  { id: 'curl', label: 'cURL', extension: 'sh' },
  { id: 'python', label: 'Python', extension: 'py' },
  { id: 'javascript', label: 'JavaScript', extension: 'js' },
  { id: 'go', label: 'Go', extension: 'go' },
  { id: 'powershell', label: 'PowerShell', extension: 'ps1' },
  { id: 'groovy', label: 'Groovy', extension: 'groovy' },
]
