import type { Component } from 'svelte'
import type { Settings } from '../client'
import type { IconName } from '../ui/icons'
import About from './About.svelte'
import Appearance from './Appearance.svelte'
import Data from './Data.svelte'
import Https from './Https.svelte'
import Keys from './Keys.svelte'
import Notices from './Notices.svelte'
import Requests from './Requests.svelte'
import { text } from './text'

/** One page of the settings. To add one, add a file and a line here. */
export interface Section {
  id: 'appearance' | 'keys' | 'requests' | 'notices' | 'https' | 'data' | 'about'
  label: string
  icon: IconName
  view: Component
  /** The settings that a reset of the section deletes. */
  keys: (keyof Settings & string)[]
}

export const sections: Section[] = [
  {
    id: 'appearance',
    label: text.sections.appearance,
    icon: 'sun',
    view: Appearance,
    keys: ['theme', 'density', 'fontSize', 'zoom'],
  },
  { id: 'keys', label: text.sections.keys, icon: 'keyboard', view: Keys, keys: ['keys'] },
  {
    id: 'requests',
    label: text.sections.requests,
    icon: 'send',
    view: Requests,
    keys: ['timeout', 'reviewWrites', 'wrap', 'historyKept'],
  },
  { id: 'notices', label: text.sections.notices, icon: 'bell', view: Notices, keys: ['notices', 'tray'] },
  { id: 'https', label: text.sections.https, icon: 'lock', view: Https, keys: [] },
  { id: 'data', label: text.sections.data, icon: 'report', view: Data, keys: [] },
  { id: 'about', label: text.sections.about, icon: 'book', view: About, keys: [] },
]
