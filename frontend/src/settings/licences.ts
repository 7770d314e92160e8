/** One part of the program, and the licence that it comes with. */
export interface Part {
  name: string
  licence: string
  text: string
}

const rule = '-'.repeat(78)

/**
 * Reads what `packages licences` writes: a list of all parts, then each with its text below a rule.
 * A licence may have rules of its own, so that a part begins only where the list has it next.
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
