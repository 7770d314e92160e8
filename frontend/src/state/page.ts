import type { Client } from '../client'
import type { Toasts } from '../ui/toast.svelte'
import type { Activity } from './activity.svelte'
import type { Library } from './collections/library.svelte'
import type { Commands } from './commands.svelte'
import type { Live } from './monitor/live.svelte'
import type { MonitorPlace } from './monitor/place.svelte'
import type { Navigation } from './navigation.svelte'
import type { Portals } from './portals/portals.svelte'
import type { Reach } from './portals/reach.svelte'
import type { Compare } from './response/compare.svelte'
import type { Sending } from './sending/sending.svelte'
import type { Session } from './session.svelte'
import type { KeptSettings } from './settings.svelte'
import type { Variables } from './variables.svelte'

/** The parts of the page that events and links act on. */
export interface Page {
  readonly session: Session
  readonly settings: KeptSettings
  readonly navigation: Navigation
  readonly commands: Commands
  readonly toasts: Toasts
  readonly variables: Variables
  readonly activity: Activity
  readonly portals: Portals
  readonly library: Library
  readonly sending: Sending
  readonly reach: Reach
  readonly live: Live
  readonly monitor: MonitorPlace
  readonly comparison: Compare
  readonly client: Client
  saveFailed(e: unknown): void
}
