import type { KeyCommand } from '../ui/keys'

/** A command of the page, for the palette and shortcuts. The command list declares it once. */
export interface Command extends KeyCommand {
  label: string
  group: 'Request' | 'Tabs' | 'View' | 'Session'
  /** The default keys, whatever shortcuts the user has set. */
  declared?: readonly string[]
  /** More search words. */
  words?: string
}
