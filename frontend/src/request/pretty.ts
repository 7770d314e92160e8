/** Formats JSON text, valid or not, without changing the spelling of numbers, strings and {{variables}}. */
export function pretty(text: string): string {
  const tokens = text.match(/\{\{[^{}]*\}\}|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"/g) ?? []
  let out = ''
  let depth = 0
  tokens.forEach((t, i) => {
    const opens = t === '{' || t === '['
    const closes = t === '}' || t === ']'
    const empty = opens && (tokens[i + 1] === '}' || tokens[i + 1] === ']')
    const ended = closes && (tokens[i - 1] === '{' || tokens[i - 1] === '[')
    if (closes && !ended) out += line(--depth)
    if (closes && ended) depth--
    out += t
    if (opens) depth++
    if (opens && !empty) out += line(depth)
    else if (t === ',') out += line(depth)
    else if (t === ':') out += ' '
  })
  return out
}

const line = (depth: number) => `\n${'  '.repeat(Math.max(0, depth))}`
