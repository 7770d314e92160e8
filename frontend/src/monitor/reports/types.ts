import type { IconName } from '../../ui/icons'
import { text } from './text'

const looks: Record<keyof typeof text.types, { icon: IconName; period: boolean }> = {
  Alert: { icon: 'bell', period: true },
  'Alert trends': { icon: 'pulse', period: true },
  'Alert SLA': { icon: 'check', period: true },
  'Host metric trends': { icon: 'live', period: true },
  'Host inventory': { icon: 'device', period: false },
  'Alert threshold': { icon: 'sliders', period: false },
  User: { icon: 'user', period: false },
  Role: { icon: 'lock', period: false },
  'Audit Log': { icon: 'book', period: true },
}

/** What a report can be about, in words for people. */
export const types: Record<string, { name: string; about: string; icon: IconName; period: boolean }> =
  Object.fromEntries(
    Object.entries(looks).map(([type, look]) => {
      const [name, about] = text.types[type as keyof typeof looks]
      return [type, { name, about, ...look }]
    }),
  )

export function typeName(type: unknown): string {
  return types[String(type)]?.name ?? String(type)
}
