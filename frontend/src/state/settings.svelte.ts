import type { Client, Fonts, Settings, Theme } from '../client'
import { Saver } from '../client/saver'

/** A change of the settings; null deletes one. */
type Change = { [K in keyof Settings]?: Settings[K] | null }

/** The user's settings, stored by the server, and values derived from them. */
export class KeptSettings {
  values = $state.raw<Settings>({})
  systemIsLight = $state(false)

  readonly theme: Theme = $derived(this.values.theme ?? 'system')
  /**
   * The height of rows with one and with two lines in lists that compute positions, in pixels:
   * --h-row and --h-row-2 in tokens.css.
   */
  readonly rowHeight: number = $derived({ compact: 24, normal: 28, roomy: 34 }[this.values.density ?? 'normal'])
  readonly rowHeight2: number = $derived({ compact: 40, normal: 44, roomy: 52 }[this.values.density ?? 'normal'])
  /** The colors of the page: canvases are repainted when they change. */
  readonly colours: 'dark' | 'light' = $derived(
    this.theme === 'system' ? (this.systemIsLight ? 'light' : 'dark') : this.theme,
  )

  #change: Change = {}
  #saver: Saver

  constructor(
    private client: () => Pick<Client, 'saveSettings'>,
    failed: (e: unknown) => void,
  ) {
    this.#saver = new Saver(() => this.#write(), failed)
  }

  /** Applies a change now, and stores it on the server soon. */
  save(change: Change) {
    this.values = Object.fromEntries(
      Object.entries({ ...this.values, ...change }).filter(([, value]) => value !== null),
    )
    this.#change = { ...this.#change, ...change }
    this.#saver.touch()
  }

  /** Stores the installed fonts for the next start. */
  remember(fonts: Fonts | undefined) {
    if (fonts && (fonts.ui !== this.values.fonts?.ui || fonts.code !== this.values.fonts.code)) this.save({ fonts })
  }

  /** Zooms one step in or out, or back to the actual size by 0. */
  zoom(by: -1 | 0 | 1) {
    const now = this.values.zoom ?? 1
    this.save({ zoom: by === 0 ? 1 : Math.round(Math.max(0.5, Math.min(2.5, now + by * 0.1)) * 10) / 10 })
  }

  /** Returns the last active tab at a portal. */
  lastTab(portal: number): number | undefined {
    return portal ? this.values.activeTabs?.[portal] : this.values.activeTab
  }

  flush(last = false): Promise<void> {
    return this.#saver.flush(last)
  }

  async #write() {
    const change = this.#change
    this.#change = {}
    try {
      await this.client().saveSettings(change)
    } catch (e) {
      this.#change = { ...change, ...this.#change }
      throw e
    }
  }
}
