/** The text of a response as data, all in one place. */
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
