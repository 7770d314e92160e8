import { trendColumn } from '../sparkline/column'
import type { Column } from '../table'
import { bySeverity } from './devices'
import { text } from './text'

/** The columns of the device list, in order; the device itself is always shown. */
export const allColumns: readonly Column[] = [
  { id: 'status', label: text.heads.status, width: '144px', sort: bySeverity },
  { id: 'device', label: text.heads.device, width: 'minmax(120px, 2fr)', sort: 'displayName' },
  { id: 'address', label: text.heads.address, width: 'minmax(90px, 2fr)', sort: 'name' },
  { id: 'group', label: text.heads.group, width: 'minmax(90px, 4fr)' },
  { id: 'collector', label: text.heads.collector, width: 'minmax(80px, 2fr)', sort: 'currentCollectorId' },
  { id: 'description', label: text.heads.description, width: 'minmax(80px, 2fr)' },
  trendColumn(text.heads.trend),
  { id: 'data', label: text.heads.data, width: '84px', align: 'right', sort: 'lastDataTime', down: true },
]

const hiddenAtFirst = ['description']

/** `collectors`: there are several, so their column is useful. */
export function columnsShown(chosen: readonly string[] | undefined, collectors = true): Column[] {
  const hidden = collectors ? hiddenAtFirst : [...hiddenAtFirst, 'collector']
  return allColumns.filter((c) => c.id === 'device' || (chosen ? chosen.includes(c.id) : !hidden.includes(c.id)))
}
