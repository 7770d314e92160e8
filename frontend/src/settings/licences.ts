/** A part of the program, with its license. */
export interface Part {
  name: string
  licence: string
  text: string
}

const rule = '-'.repeat(78)

/**
 * Parses the output of `packages licences`: a list of all parts, then each with its text below a rule. A license may
 * contain rules, so a part begins only at the next name of the list.
 */
export function parts(text: string): Part[] {
  const list = [...text.slice(0, text.indexOf(rule)).matchAll(/^(.+): (.+)$/gm)]
  let from = 0
  const begins = list.map(([, name, licence]) => {
    const head = `\n${rule}\n${name} (${licence})\n`
    const at = text.indexOf(head, from)
    from = at + head.length
    return { name, licence, at, from }
  })
  return begins.map(({ name, licence, from }, i) => ({
    name,
    licence,
    text: text.slice(from, begins[i + 1]?.at).trim(),
  }))
}
