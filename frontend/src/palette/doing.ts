import type { App } from '../state/app.svelte'
import { rank } from '../ui/fuzzy'
import type { Entry } from './entries'
import { spoken, type Plan, type Verb } from './verb'
import { text } from './actions/text'
import { verbs } from './verbs'

const offered = (app: App) => verbs.filter((v) => v.remote || !app.portal.remote)

/** The number of times the user ran each action, by its id. */
const usesOf = (app: App) => app.settings.values.verbs ?? {}
const most = 100

function used(app: App, ...ids: string[]) {
  const uses = { ...usesOf(app) }
  for (const id of ids) uses[id] = (uses[id] ?? 0) + 1
  const kept = Object.entries(uses).sort(([, a], [, b]) => b - a)
  app.settings.save({ verbs: Object.fromEntries(kept.slice(0, most)) })
}

/** Returns the verbs that begin with the query, the most used first. */
export function hints(app: App, query: string): Entry[] {
  if (!query) return []
  const uses = usesOf(app)
  const all = offered(app).sort((a, b) => (uses[b.word] ?? 0) - (uses[a.word] ?? 0))
  return rank(query, all, (v) => [v.word, v.also.join(' ')]).map(({ item: verb }) => ({
    id: `verb ${verb.word}`,
    text: verb.word,
    hint: text.hint(verb.takes, verb.does),
    words: verb.also.join(' '),
    key: '',
    icon: verb.icon,
    fill: `${verb.word} `,
    run: () => {},
  }))
}

/** Returns the possible actions of the typed verb, the most used first and explanations last. */
export function plans(app: App, query: string, signal: AbortSignal): Entry[] | Promise<Entry[]> {
  const { verb, typed } = spoken(offered(app), query) ?? {}
  return verb && typed ? planned(app, verb, typed, signal) : []
}

async function planned(app: App, verb: Verb, typed: string, signal: AbortSignal): Promise<Entry[]> {
  const found = await verb.plan(app, typed, signal)
  signal.throwIfAborted()
  const uses = usesOf(app)
  return found
    .map((plan) => ({ plan, rate: plan.run ? (uses[plan.id] ?? 0) : -1 }))
    .sort((a, b) => b.rate - a.rate)
    .map(({ plan }) => entry(app, verb, plan))
}

function entry(app: App, verb: Verb, { id, text: what, hint = '', why, method, confirm, run }: Plan): Entry {
  return {
    id: `do ${id}`,
    text: what,
    hint: why || hint,
    words: '',
    key: '',
    icon: run ? verb.icon : 'search',
    method,
    confirm,
    idle: !run || !!why,
    run: async () => {
      used(app, verb.word, id)
      const before = app.toasts.current
      await run?.()
      app.toasts.fresh = app.toasts.current !== before
    },
  }
}
