const levels: Record<string, string> = { read: 'View', ack: 'Ack', write: 'Edit' }
const things: Record<string, string> = {
  deviceGroup: 'devices',
  report: 'reports',
  'settings: useraccess': 'users, roles and API tokens',
  'settings: collectors': 'collectors',
  'settings: alerting': 'alert rules, chains and integrations',
  'settings: datasources': 'data sources',
  'settings: opsnotes': 'ops notes',
  'settings: portal': 'the portal settings',
  'settings: audit': 'the audit log',
}

/** Describes a permission of the API, such as `write on deviceGroup`: "Edit access to devices". */
export function accessTo(permission: string): string {
  const [level, thing] = permission.split(' on ')
  return thing ? `${levels[level] ?? level} access to ${things[thing] ?? thing}` : `the permission ${permission}`
}
