/** The user's settings that the page stores, apart from tabs, variables and history. */
export type Theme = 'system' | 'dark' | 'light'

/**
 * The scroll position of the history: the first row in view, and the number of its pixels above the
 * view.
 */
export interface PastSpot {
  id: number
  above: number
}

/** The view state of a tab: panes, scroll positions and others, by name. */
export type TabView = Record<string, unknown>

export type View = 'welcome' | 'api' | 'monitor'
export type PanelName = 'variables' | 'history' | 'helpers' | 'docs'

/** The font stacks of tokens.css, beginning with the first installed family. */
export interface Fonts {
  ui: string
  code: string
}

/** A screen of the Monitor view, its object, and its filters. */
export interface MonitorSpot {
  screen: string
  id?: string
  filters?: Record<string, string>
}

/** The positions of the splitters; absent ones have their default. */
export interface Layout {
  /** Width of the catalog, in pixels. */
  left?: number
  /** Width of the tools, in pixels. */
  right?: number
  /** The request's share of the height, 0 to 1. */
  request?: number
  leftClosed?: boolean
  rightClosed?: boolean
}

/** The input in a form, and the version of the object it is based on; without secrets. */
export interface KeptEdits {
  etag: string
  edits: Record<string, unknown>
  /** The previous values of the edited fields. */
  was: Record<string, unknown>
}

/** The settings that Go stores for the page. Unknown keys are kept. */
export interface Settings {
  theme?: Theme
  layout?: Layout
  activeTab?: number
  /** For remote portals, by id. */
  activeTabs?: Record<string, number>
  activePortal?: number
  /** The portal with which a request was last compared. */
  otherPortal?: number
  /** The lock of the built-in portal. */
  portalReadOnly?: boolean
  view?: View
  /** The last place in the Monitor view. */
  monitor?: MonitorSpot
  /** The fleet: expanded groups, visible columns, the width of the groups. */
  fleet?: { open?: number[]; columns?: string[]; tree?: number }
  panel?: PanelName
  expanded?: string[]
  leftPane?: 'endpoints' | 'collections'
  /** Whether a run of saved requests stops at its first failure; default true. */
  batchStops?: boolean
  openCollections?: number[]
  /** The collection in which a request was last saved. */
  lastCollection?: number
  variableSort?: 'added' | 'name' | 'changed' | 'sent'
  /** For all portals: endpoints that a portal's catalog does not have are not shown. */
  favourites?: string[]
  /** The entries of the palette that were run last, by id. */
  ran?: string[]
  /** How often each action of the palette was used, by its id. */
  verbs?: Record<string, number>
  /** Endpoints used last at the built-in portal. */
  recents?: string[]
  /** The same for remote portals, by id. */
  recentsAt?: Record<string, string[]>
  /** 1 is actual size. */
  zoom?: number
  /** The fonts of the window's page: the installed families of the stacks. */
  fonts?: Fonts
  density?: 'compact' | 'normal' | 'roomy'
  fontSize?: 'normal' | 'large' | 'larger'
  /** The user's own shortcuts by command; missing commands have their default ones. */
  keys?: Record<string, string[]>
  /** Requests kept in the history, apart from pinned ones. */
  historyKept?: number
  /** Timeout in seconds for requests without their own. */
  timeout?: number
  /** Show the effect of a write before it is sent. */
  reviewWrites?: boolean
  /** Show the filter of a list as text, too, not only its conditions. */
  filterAsText?: boolean
  /** Wrap long lines of a response. */
  wrap?: boolean
  /** Show desktop notifications of new critical alerts; default true. */
  notices?: boolean
  /** Show the number of open alerts in the tray; default true. */
  tray?: boolean
  /** The notice of the start that the user closed, which is not shown again. */
  noticed?: string
  /** The tour was taken or declined, and is not offered again. */
  toured?: boolean
  /** Unsaved edits in forms of the Monitor view, by form. */
  edits?: Record<string, KeptEdits>
  /** Scroll positions of parts of the page, by name. */
  scroll?: Record<string, { top: number; left: number }>
  /** Scroll position of each portal's history, by the portal's id. */
  historyAt?: Record<string, PastSpot | undefined>
  [key: string]: unknown
}

/** Null deletes a setting. */
export type SettingsChanges = { [K in keyof Settings]?: Settings[K] | null }
