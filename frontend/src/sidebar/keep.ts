import type { App } from '../state/app.svelte'
import { asFault, type Variable } from '../client'
import { text } from './text'

type Home = Pick<App, 'client' | 'variables' | 'toasts'>

/** Returns why a name is not valid for a variable; the same rule as in Go. */
export function nameProblem(name: string): string {
  if (!name) return text.keep.aVariableNeeds
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) return text.keep.lettersDigitsOnly
  return ''
}

/**
 * Saves a value as a variable, new or replaced, and offers to undo that: that of the active environment where it has
 * one of the name, or else that of the portal.
 */
export async function keep(app: Home, name: string, value: string): Promise<Variable | undefined> {
  const old = app.variables.inUse.find((v) => v.name === name && v.scope !== 'global')
  try {
    const now = old
      ? await change(app, old.id, { value })
      : await add(app, { name, value, secret: false, scope: 'portal' })
    const undo = () =>
      void (old ? change(app, old.id, { value: old.value }) : drop(app, now)).catch((e: unknown) => failed(app, e))
    app.toasts.show(text.keep.saved(name, short(value)), { tone: 'ok', action: { label: text.keep.undo, run: undo } })
    return now
  } catch (e) {
    failed(app, e)
    return undefined
  }
}

/** Removes a variable and offers to restore it. */
export async function remove(app: Home, variable: Variable) {
  try {
    await drop(app, variable)
    const undo = () => void restore(app, variable).catch((e: unknown) => failed(app, e))
    app.toasts.show(text.keep.deleted(variable.name), { action: { label: text.keep.undo, run: undo } })
  } catch (e) {
    failed(app, e)
  }
}

/** Reports that a variable that is no longer secret has lost its value, and offers to undo that. */
export function unsealed(app: Home, was: Variable) {
  const undo = () =>
    void app.client.variables.restore(was.id).then(
      () => {
        app.variables.all = app.variables.all.map((v) => (v.id === was.id ? was : v))
      },
      (e: unknown) => failed(app, e),
    )
  app.toasts.show(text.keep.secretIsGone(was.name), { tone: 'warn', action: { label: text.keep.undo, run: undo } })
}

export async function add(
  app: Home,
  variable: Pick<Variable, 'name' | 'value' | 'secret' | 'scope'> & { environmentId?: number },
): Promise<Variable> {
  const made = await app.client.variables.create(variable)
  app.variables.all = [...app.variables.all.filter((v) => v.id !== made.id), made]
  return made
}

export async function change(app: Home, id: number, by: Partial<Variable>): Promise<Variable> {
  const now = await app.client.variables.update(id, by)
  app.variables.all = app.variables.all.map((v) => (v.id === id ? now : v))
  return now
}

async function restore(app: Home, variable: Variable) {
  await app.client.variables.restore(variable.id)
  app.variables.all = [...app.variables.all.filter((v) => v.id !== variable.id), variable].sort((a, b) => a.id - b.id)
}

async function drop(app: Home, variable: Variable) {
  await app.client.variables.remove(variable.id)
  app.variables.all = app.variables.all.filter((v) => v.id !== variable.id)
}

function failed(app: Home, e: unknown) {
  app.toasts.show(text.keep.notSaved(asFault(e).message), { tone: 'error' })
}

function short(value: string): string {
  return value.length > 40 ? `${value.slice(0, 40)}…` : value
}
