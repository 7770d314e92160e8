/** The text of charts. */
import { number } from '../ui/locale'

export const text = {
  pointsTable: {
    pointsOfThe: 'Points of the chart',
    time: 'Time',
  },
  lines: {
    noData: 'no data',
    none: (name: string) => `${name}: no data`,
    summary: (name: string, low: string, high: string, last: string, gaps: number) =>
      `${name}: lowest ${low}, highest ${high}, last ${last}${gaps ? `, ${number(gaps)} ${gaps === 1 ? 'gap' : 'gaps'}` : ''}`,
    chart: 'Chart',
  },
  plot: {
    maintenance: (comment: string, of?: string) =>
      `Maintenance${of ? ` of ${of}` : ''}${comment ? `: ${comment}` : ''}`,
  },
} as const
