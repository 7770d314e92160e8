/** One part of the program, and the licence that it comes with. */
export interface Part {
  name: string
  licence: string
  text: string
}

const line = /^-{70,}$/m

/** Reads what `packages licences` writes: a list of all parts, then each with its text below a line. */
export function parts(text: string): Part[] {
  return text.split(line).slice(1).map((block) => {
    const [title, ...rest] = block.trim().split('\n')
    const [, name, licence] = /^(.*) \((.*)\)$/.exec(title) ?? ['', title, '']
    return { name, licence, text: rest.join('\n').trim() }
  })
}
