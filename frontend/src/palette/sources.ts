import type { Source } from './entries'

const files = import.meta.glob<Source | Source[]>('./sources/*.ts', { eager: true, import: 'default' })

/** The sources of the palette, in display order. To add a source, add a file in sources/ that exports it as default. */
export const sources: Source[] = Object.values(files)
  .flat()
  .sort((a, b) => a.order - b.order)
