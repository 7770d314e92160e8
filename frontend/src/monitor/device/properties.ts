import { text } from './text'

const { origins } = text.properties

/** A property in the list of the API. */
interface Listed {
  name: string
  value: string
  type: string
  inheritList: { fullpath: string; value: string }[]
  /** A user has marked it as secret, whatever its name. */
  secret?: boolean
}

export interface PropertyRow extends Listed {
  /** The overridden values of groups, '' for none. */
  hides: string
}

const order = ['custom', 'inherit', 'auto', 'system']

/** Sorts own properties first, then those of groups, of checks and of the portal; each by name. */
export function propertyRows(items: readonly Listed[]): PropertyRow[] {
  const place = (p: Listed) => (order.indexOf(p.type) + order.length + 1) % (order.length + 1)
  return items
    .map((p) => ({
      ...p,
      hides:
        p.type === 'custom' ? p.inheritList.map((i) => text.properties.hidden(i.fullpath, i.value)).join('\n') : '',
    }))
    .sort((a, b) => place(a) - place(b) || a.name.localeCompare(b.name))
}

export const secret = (value: string) => value === '********'

/** Returns the origin of a property as text. */
export function origin(p: Listed): string {
  if (p.type === 'custom') return origins.own
  if (p.type === 'inherit') return origins.group(p.inheritList[0]?.fullpath ?? '')
  return p.type === 'auto' ? origins.checks : origins.portal
}
