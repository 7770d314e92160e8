import type { IconName } from '../../ui/icons'

/** What a report can be about, in words for people. */
export const types: Record<string, { name: string; about: string; icon: IconName; period: boolean }> = {
  Alert: { name: 'Alerts', about: 'Each alert of a period: when, where, how bad, who took it on', icon: 'bell', period: true },
  'Alert trends': { name: 'Alert trends', about: 'How many alerts a day, by group and datasource', icon: 'pulse', period: true },
  'Alert SLA': { name: 'Availability', about: 'How long each device was up, its outages and the longest', icon: 'check', period: true },
  'Host metric trends': { name: 'Measurements', about: 'Lowest, mean and highest of what was measured, drawn', icon: 'live', period: true },
  'Host inventory': { name: 'Inventory', about: 'Devices with their groups, state and properties', icon: 'device', period: false },
  'Alert threshold': { name: 'Thresholds', about: 'Which thresholds hold where, and who set them apart', icon: 'sliders', period: false },
  User: { name: 'Users', about: 'Who can sign in, with which roles, and when they last did', icon: 'user', period: false },
  Role: { name: 'Roles', about: 'What each role may do', icon: 'lock', period: false },
  'Audit Log': { name: 'Audit log', about: 'Who changed what in a period', icon: 'book', period: true },
}

export function typeName(type: unknown): string {
  return types[String(type)]?.name ?? String(type)
}
