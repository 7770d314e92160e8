import type { KeyCommand } from '../ui/keys'

/** Something the page can do: in the palette, and on a key. Declared once, in the command list. */
export interface Command extends KeyCommand {
  label: string
  group: 'Request' | 'Tabs' | 'View' | 'Session'
  /** The keys as declared in the list, whatever a person put in their place. */
  declared?: readonly string[]
  /** More words to find it by. */
  words?: string
}
