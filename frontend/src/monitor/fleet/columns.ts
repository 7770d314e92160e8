import type { Column } from '../table'

/** The columns of the fleet, in their order; the device itself is always shown. */
export const allColumns: readonly Column[] = [
  { id: 'status', label: 'Status', width: '128px' },
  { id: 'device', label: 'Device', width: 'minmax(120px, 3fr)', sort: 'displayName' },
  { id: 'address', label: 'Host or IP', width: 'minmax(90px, 2fr)', sort: 'name' },
  { id: 'group', label: 'Groups', width: 'minmax(90px, 3fr)' },
  { id: 'collector', label: 'Collector', width: 'minmax(80px, 2fr)', sort: 'currentCollectorId' },
  { id: 'description', label: 'Description', width: 'minmax(80px, 2fr)' },
  { id: 'data', label: 'Last data', width: '84px', align: 'right', sort: 'lastDataTime', down: true },
]

const hiddenAtFirst = ['description']

export function columnsShown(chosen: readonly string[] | undefined): Column[] {
  return allColumns.filter((c) => c.id === 'device' || (chosen ? chosen.includes(c.id) : !hiddenAtFirst.includes(c.id)))
}
