/** Converts the privileges of a role to a matrix: a row for each object with its level. */
import { text } from './text'

const t = text.roles

export interface Privilege {
  objectType: string
  objectId: string
  objectName?: string
  operation: string
}

export const levels = ['none', 'read', 'ack', 'write'] as const
export type Level = (typeof levels)[number]

export interface Line {
  type: 'deviceGroup' | 'report' | 'setting' | 'explorer'
  /** `*` for all. */
  id: string
  level: Level
  /** The level that a row above already grants. */
  from: Level
}

/** Reports whether a type has a level. */
export function goes(type: Line['type'], level: Level): boolean {
  if (type === 'explorer') return level === 'none' || level === 'write'
  return level !== 'ack' || type === 'deviceGroup'
}

/** Returns all rows, also those without a privilege: all of a type first, then single objects. */
export function linesOf(privileges: Privilege[]): Line[] {
  const level = (type: Line['type'], id: string): Level => {
    const all = privileges
      .filter((p) => p.objectType === type && p.objectId === id)
      .map((p) => levels.indexOf(p.operation as Level))
    const most = levels[Math.max(0, ...all)]
    return goes(type, most) ? most : type === 'explorer' ? 'none' : 'read' // the lower levels do not apply here
  }
  const named = (type: string) => [
    ...new Set(privileges.filter((p) => p.objectType === type && p.objectId !== '*').map((p) => p.objectId)),
  ]
  const lines = (type: Line['type'], ids: string[]): Line[] => {
    const whole = level(type, '*')
    return [
      { type, id: '*', level: whole, from: 'none' as Level },
      ...ids.map((id) => ({ type, id, level: level(type, id), from: whole })),
    ]
  }
  return [
    ...lines('deviceGroup', named('deviceGroup')),
    ...lines('report', named('report')),
    ...lines('setting', Object.keys(t.areas)),
    ...lines('explorer', []),
  ]
}

/** Returns the privileges with one row changed; others of the portal stay. */
export function withLevel(privileges: Privilege[], type: string, id: string, level: Level): Privilege[] {
  const there = privileges.find((p) => p.objectType === type && p.objectId === id)
  const others = privileges.filter((p) => p.objectType !== type || p.objectId !== id)
  if (level === 'none') return others
  if (!there) return [...privileges, { objectType: type, objectId: id, operation: level }]
  return privileges
    .filter((p) => p === there || others.includes(p))
    .map((p) => (p === there ? { ...p, operation: level } : p))
}

/** Describes the permissions of a role in one line. */
export function summary(privileges: Privilege[]): string {
  const lines = linesOf(privileges)
  const { does, of: named, nothing, explorer } = t.summary
  const of = (type: Exclude<Line['type'], 'explorer'>) => {
    const mine = lines.filter((l) => l.type === type && l.level !== 'none')
    const whole = mine.find((l) => l.id === '*')
    if (whole) return t.all(does[whole.level], named[type])
    if (mine.length === 0) return ''
    const most = levels[Math.max(...mine.map((l) => levels.indexOf(l.level)))]
    return type === 'setting' ? t.partsOf(does[most], mine.length) : t.groupsOf(does[most], mine.length, named[type])
  }
  const words = [
    of('deviceGroup'),
    of('report'),
    of('setting'),
    lines.some((l) => l.type === 'explorer' && l.level === 'write') ? explorer : '',
  ]
    .filter(Boolean)
    .join(', ')
  return words ? words[0].toUpperCase() + words.slice(1) : nothing
}
