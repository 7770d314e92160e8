/** A fault's message as a sentence of its own. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.?]$/.test(text) ? '' : '.')
