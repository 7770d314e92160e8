/** cURL commands as a file of our own: the page reads them wherever they are pasted. */
import type { DraftData } from '../client'
import type { FileToRead } from '../client/collections'
import { emptyDraft } from '../request/draft.svelte'
import { readPasted } from '../request/paste'

/** The commands of a text, each from its `curl` to the next. Undefined when it begins with none. */
export function readCommands(text: string, bases: string[]): DraftData[] | undefined {
  const script = text.replace(/^#![^\n]*\n/, '').trimStart()
  if (!/^(#[^\n]*\n\s*)*curl(\.exe)?\s/i.test(script)) return undefined
  return commandsOf(script).flatMap((command) => {
    const pasted = readPasted(command, bases)
    return pasted ? [{ ...emptyDraft(), ...pasted }] : []
  })
}

/** The texts that begin a line with `curl`, outside of quotes; comments between them are dropped. */
function commandsOf(script: string): string[] {
  const commands: string[] = []
  let quote = ''
  for (const line of script.split('\n')) {
    const begins = !quote && /^curl(\.exe)?\s/i.test(line)
    if (begins) commands.push(line)
    else if (commands.length && (quote || !/^\s*#/.test(line))) commands[commands.length - 1] += `\n${line}`
    quote = quoteAfter(line, quote)
  }
  return commands.map((c) => c.trim())
}

/** The quote that is open behind a line which began within `quote`. */
function quoteAfter(line: string, quote: string): string {
  for (let i = 0; i < line.length; i++) {
    const c = line[i]
    if (c === '\\' && quote !== "'") i++
    else if (quote ? c === quote : c === "'" || c === '"') quote = quote ? '' : c
  }
  return quote
}

/** What is sent to be read: cURL commands as our own format, anything else as it is. */
export function fileToRead(name: string, text: string, bases: string[]): { file: FileToRead; curl: boolean } {
  const drafts = readCommands(text, bases)
  if (!drafts) return { file: { name, text }, curl: false }
  const requests = drafts.map((draft) => ({ name: '', draft }))
  const title = name.replace(/\.[^.]*$/, '') || 'cURL commands'
  return { file: { name, text: JSON.stringify({ spyglass: 1, name: title, collections: [{ name: title, requests }] }) }, curl: true }
}
