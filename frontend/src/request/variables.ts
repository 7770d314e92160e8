/** {{variables}} in text: where they stand, and what they hold. */

export interface Part {
  text: string
  /** The variable's name, when the part is one. */
  variable?: string
}

/** The text in pieces, variables apart. */
export function parts(text: string): Part[] {
  const out: Part[] = []
  let from = 0
  for (const m of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    if (m.index > from) out.push({ text: text.slice(from, m.index) })
    out.push({ text: m[0], variable: m[1].trim() })
    from = m.index + m[0].length
  }
  if (from < text.length) out.push({ text: text.slice(from) })
  return out
}

export function hasVariable(text: string): boolean {
  return /\{\{[^{}]*\}\}/.test(text)
}

/** Names that Go fills in by itself: {{$now}}, {{$now-1h}}, {{$uuid}}. */
export function isBuiltIn(name: string): boolean {
  return name.startsWith('$')
}
