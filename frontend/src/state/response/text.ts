/** The names of the snippet languages. */
export const text = {
  languages: {
    curl: 'cURL',
    python: 'Python',
    javascript: 'JavaScript',
    go: 'Go',
    powershell: 'PowerShell',
    groovy: 'Groovy',
  },
} as const
