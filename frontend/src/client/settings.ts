/** What the page remembers of a person, apart from tabs, variables and history. */
export type Theme = 'system' | 'dark' | 'light'

/** Where the history was left: the first row in view, and how many pixels of it are above. */
export interface PastSpot {
  id: number
  above: number
}

/** How a tab is shown: panes, scroll positions and the like, by their names. */
export type TabView = Record<string, unknown>

export type View = 'welcome' | 'api' | 'monitor'
export type PanelName = 'variables' | 'history' | 'helpers' | 'docs'

/** The stacks of tokens.css, from the first family that is installed. */
export interface Fonts {
  ui: string
  code: string
}

/** A screen of the Monitor view, the object it is about, and what it shows of all there is. */
export interface MonitorSpot {
  screen: string
  id?: string
  filters?: Record<string, string>
}

/** As the splitters left it; what is absent has its default. */
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

/** What was typed into a form, and the version of the object it was typed over; without secrets. */
export interface KeptEdits {
  etag: string
  edits: Record<string, unknown>
  /** What stood in the edited fields before. */
  was: Record<string, unknown>
}

/** What the page remembers in Go. Keys not named here are kept as they are. */
export interface Settings {
  theme?: Theme
  layout?: Layout
  activeTab?: number
  /** Of remote portals, by their id. */
  activeTabs?: Record<string, number>
  activePortal?: number
  /** The lock of the built-in portal. */
  portalReadOnly?: boolean
  view?: View
  /** Where one was in the Monitor view. */
  monitor?: MonitorSpot
  /** Of the fleet: groups that are open, columns that are shown, the width of the groups. */
  fleet?: { open?: number[]; columns?: string[]; tree?: number }
  panel?: PanelName
  expanded?: string[]
  leftPane?: 'endpoints' | 'collections'
  /** Whether a run of saved requests stops at its first failure; it does unless false. */
  batchStops?: boolean
  openCollections?: number[]
  /** Where a request was saved last. */
  lastCollection?: number
  variableSort?: 'added' | 'name' | 'changed' | 'sent'
  /** Of every portal: one that its catalog does not have is not shown. */
  favourites?: string[]
  /** Endpoints chosen last at the built-in portal. */
  recents?: string[]
  /** The same of remote portals, by their id. */
  recentsAt?: Record<string, string[]>
  /** 1 is actual size. */
  zoom?: number
  /** What the window's page is set in: those of the stacks that are installed. */
  fonts?: Fonts
  density?: 'compact' | 'normal' | 'roomy'
  fontSize?: 'normal' | 'large' | 'larger'
  /** A person's own keys, by command; a command that is not in it has its declared ones. */
  keys?: Record<string, string[]>
  /** Requests kept in the history, apart from pinned ones. */
  historyKept?: number
  /** Seconds to wait for an answer, where a request does not say. */
  timeout?: number
  /** Show what a write would change before it is sent. */
  reviewWrites?: boolean
  /** Long lines of a response are wrapped. */
  wrap?: boolean
  /** The desktop tells of new critical alerts, unless false. */
  notices?: boolean
  /** The desktop's tray shows how many alerts are open, unless false. */
  tray?: boolean
  /** The tour was begun or declined: it is not offered again. */
  toured?: boolean
  /** Edits of the Monitor view's forms that are not saved yet, by what they change. */
  edits?: Record<string, KeptEdits>
  /** How far parts of the page are scrolled, by their names. */
  scroll?: Record<string, { top: number; left: number }>
  /** Where each portal's history was left, by the portal's id. */
  historyAt?: Record<string, PastSpot | undefined>
  [key: string]: unknown
}

/** Null forgets a setting. */
export type SettingsChanges = { [K in keyof Settings]?: Settings[K] | null }
