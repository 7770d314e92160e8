import type { Source } from './entries'

const files = import.meta.glob<Source | Source[]>('./sources/*.ts', { eager: true, import: 'default' })

/** The sources of the palette, in the order shown. A new source is a file in sources/ that exports it as default. */
export const sources: Source[] = Object.values(files)
  .flat()
  .sort((a, b) => a.order - b.order)
