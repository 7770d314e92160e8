import type { Column } from '../table'

/** Returns the column of a sparkline, which is narrower in a small window. */
export const trendColumn = (label: string): Column => ({ id: 'trend', label, width: 'clamp(56px, 6.5vw, 92px)' })
