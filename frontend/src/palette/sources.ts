import type { Source } from './entries'
import { goTo, run } from './sources/commands'
import { docs } from './sources/docs'
import { endpoints } from './sources/endpoints'
import { history } from './sources/history'
import { objects } from './sources/objects'
import { portals } from './sources/portals'
import { settings } from './sources/settings'
import { tabs } from './sources/tabs'
import { variables } from './sources/variables'

/** The sources of the palette, in the order shown. A new source is a file and a line here. */
export const sources: Source[] = [goTo, run, settings, endpoints, tabs, portals, variables, docs, ...objects, history]
