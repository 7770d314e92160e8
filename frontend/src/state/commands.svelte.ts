import { keyLabel } from '../ui/keys'
import type { Command } from './command'
import { remappable, type OwnKeys } from './keymap'

type None = []

/**
 * The actions that parts of the page offer to others, with their arguments: a visible part offers
 * an action, and any part can run it.
 */
export interface Actions {
  'body.enter': None
  'catalog.open': None
  'catalog.search': None
  'collections.keep': None
  'collections.share': None
  'collections.open': None
  /** Focuses a line by its key. */
  'collections.show': [key: string]
  'exchange.export': None
  'exchange.import': None
  'extractors.reload': None
  'filter.build': None
  'keys.open': None
  'left.collections': None
  'left.endpoints': None
  'messages.open': None
  'pane.left': None
  'pane.right': None
  'path.focus': None
  'request.across': None
  'request.curl': None
  'request.form': None
  'request.preview': None
  'request.raw': None
  'request.reset': None
  'request.saveAs': None
  'response.chart': None
  'response.checks': None
  'response.collapse': None
  'response.compare': None
  'response.example': None
  'response.copy': None
  'response.expand': None
  'response.filter': None
  'response.find': None
  'response.findInJson': None
  'response.headers': None
  'response.json': None
  'response.raw': None
  'response.save': None
  'response.snippets': None
  'response.table': None
  'response.watch': None
  'settings.about': None
  'settings.appearance': None
  'settings.data': None
  'settings.keys': None
  'settings.notices': None
  'settings.https': None
  'settings.open': None
  'settings.requests': None
  'settings.reset': None
  'tools.enter': None
  'tools.open': None
  'tour.start': None
}

export type Action = keyof Actions

/** The commands of the page, and the actions that its parts offer to each other. */
export class Commands {
  /** Empty until the page has created its list. */
  list: readonly Command[] = []
  #offers = new Map<Action, unknown>()

  /** `own` returns the user's shortcuts; `missed` receives actions without a handler. */
  constructor(
    private own: () => OwnKeys | undefined,
    private missed: (name: Action) => void,
  ) {}

  /** Sets the list of commands, with the user's own shortcuts. */
  declare(commands: readonly Command[]) {
    this.list = remappable(commands, this.own)
  }

  /** Returns the shortcut of a command as text, '' if it has none. */
  keyOf(id: string): string {
    return keyLabel(this.list.find((c) => c.id === id))
  }

  /** Offers an action while a part is on the page; the returned function withdraws it. */
  offer<A extends Action>(name: A, run: (...args: Actions[A]) => void): () => void {
    this.#offers.set(name, run)
    return () => {
      if (this.#offers.get(name) === run) this.#offers.delete(name)
    }
  }

  /**
   * Runs an action that a part of the page must offer now; a missing one is reported as a
   * programming error.
   */
  run<A extends Action>(name: A, ...args: Actions[A]) {
    if (!this.runIfOffered(name, ...args)) this.missed(name)
  }

  /** Runs an action whose part may be hidden or not loaded; returns whether there is one. */
  runIfOffered<A extends Action>(name: A, ...args: Actions[A]): boolean {
    const run = this.#offers.get(name) as ((...args: Actions[A]) => void) | undefined
    run?.(...args)
    return run !== undefined
  }
}

/** Reports an action without a handler: an error in development and tests, otherwise a line in the console. */
export function reportMissed(name: Action) {
  const problem = `No part of the page offers the action ${name}.`
  if (import.meta.env.DEV) throw new Error(problem)
  console.error(problem)
}
