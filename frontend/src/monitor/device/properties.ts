import { text } from './text'

const { origins } = text.properties

/** A property as the list of the API has it. */
interface Listed {
  name: string
  value: string
  type: string
  inheritList: { fullpath: string; value: string }[]
  /** A person has made it secret, whatever its name. */
  secret?: boolean
}

export interface PropertyRow extends Listed {
  /** What groups say instead, '' for nothing. */
  hides: string
}

const order = ['custom', 'inherit', 'auto', 'system']

/** Own ones first, then those of groups, of checks and of the portal; by name. */
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

/** Where a property comes from, in words. */
export function origin(p: Listed): string {
  if (p.type === 'custom') return origins.own
  if (p.type === 'inherit') return origins.group(p.inheritList[0]?.fullpath ?? '')
  return p.type === 'auto' ? origins.checks : origins.portal
}
