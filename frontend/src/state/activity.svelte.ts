import type { DataProgress } from '../client/data'

/** What the last responses and the event stream have told the whole page. */
export class Activity {
  /** Counts up when history changed, here or in another window. */
  historyVersion = $state(0)
  /** The quota of the last response, of whichever tab sent last. */
  quota = $state.raw<{ limit: number; remaining: number; window: number } | null>(null)
  /** Hears how far a backup or a restore is. */
  ondata: (progress: DataProgress) => void = () => {}
}
