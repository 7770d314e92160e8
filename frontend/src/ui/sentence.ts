/** Returns a fault's message as a complete sentence. An address or a name that it begins with stays as it is. */
export const sentence = (text: string) =>
  text.replace(/^[a-z]+(?=[\s,;'’]|$)/, (word) => word.charAt(0).toUpperCase() + word.slice(1)) +
  (/[.?]$/.test(text) ? '' : '.')
