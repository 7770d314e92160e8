import type { Source } from '../entries'
import { loading } from '../loading'
import type { ObjectKind } from '../objects'

const code = loading(() => import('../objects'))

/**
 * Objects of the portal that can be searched by name, in display order. To add a kind, add a line
 * here.
 */
const kinds: ObjectKind[] = [
  { group: 'Devices', path: '/device/devices', icon: 'device', status: 'alertStatus' },
  { group: 'Groups', path: '/device/groups', icon: 'group', by: ['name', 'fullPath'] },
  {
    group: 'Alerts',
    path: '/alert/alerts',
    icon: 'bell',
    by: ['monitorObjectName', 'resourceTemplateName', 'dataPointName'],
    status: 'severity',
  },
  { group: 'DataSources', path: '/setting/datasources', icon: 'gauge' },
  { group: 'Reports', path: '/report/reports', icon: 'report' },
]

export default kinds.map((kind): Source => ({
  group: kind.group,
  order: 90,
  prefixes: '@',
  most: 5,
  first: 0,
  cut: 30, // as many as one lookup returns
  find: (app, query, signal) => (query ? code(({ objectsOf }) => objectsOf(app, kind, query, signal)) : []),
}))
