/** The text of the tabs. */
import { number } from '../ui/locale'

export const text = {
  copyLink: 'Copy link',
  copyLinkTo: (what: string) => `Copy link to ${what}`,
  withKeys: (label: string, keys: string) => `${label} (${keys})`,
  conflict: {
    anotherWindowChanged: 'Another window changed this request to',
    keepMine: 'Keep mine',
    takeTheirs: 'Take theirs',
  },
  tabStrip: {
    close: 'Close',
    closeOtherTabs: 'Close other tabs',
    closeTabsTo: 'Close tabs to the right',
    reopenClosedTab: 'Reopen closed tab',
    unpin: 'Unpin',
    pin: 'Pin',
    rename: 'Rename',
    duplicate: 'Duplicate',
    save: 'Save',
    saveAs: 'Save as…',
    moveLeft: 'Move left',
    moveRight: 'Move right',
    tabs: 'Tabs',
    openTabs: 'Open tabs',
    apiRequest: (title: string, detail: string, pinned: boolean, changed: boolean, busy: boolean) =>
      `${title}${detail && ` ${detail}`}: API request${pinned ? ', pinned' : ''}${changed ? ', unsaved changes' : ''}${busy ? ', sending' : ''}`,
    api: 'API',
    newRequest: 'New request',
    tabName: 'Tab name',
    allTabs: 'All tabs',
    allOf: (n: number) => `All ${number(n)} tabs`,
    unsavedChanges: 'Unsaved changes',
    new: 'New',
    newTab: 'New tab',
    newApiRequest: 'New API Request',
    renameTab: 'Rename tab',
    duplicateTab: 'Duplicate tab',
    tab: 'Tab',
  },
} as const
