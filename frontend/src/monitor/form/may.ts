import type { App } from '../../state/app.svelte'
import type { Method } from '../../client'
import { text } from './text'

/** Returns why an action is not allowed, as a sentence; '' if it is. */
export function whyNot(app: Pick<App, 'portal' | 'session' | 'catalog'>, method: Method, path: string): string {
  const { portal } = app
  const { user } = app.session
  const permission = app.catalog.match(method, path)?.permission
  if (permission && user && !user.rights.includes(permission)) return text.lacks(user.role, permission)
  if (portal.readOnly && method !== 'GET') return text.readOnly(portal.name)
  return ''
}

/** Reports whether there is a demo and the user may view its clock and its incidents. */
export const seesDemo = ({ portal, session }: Pick<App, 'portal' | 'session'>): boolean =>
  portal.demo && session.user?.rights.includes('read on settings: portal') !== false
