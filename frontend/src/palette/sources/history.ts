import { historyFilter } from '../../sidebar/query'
import { queryOf } from '../../ui/query'
import type { Source } from '../entries'

/** Sent requests, searched in Go, without duplicates of the address. */
export default {
  group: 'History',
  order: 100,
  prefixes: '#',
  most: 8,
  first: 4,
  async find(app, query, signal) {
    const { items } = await app.client.history.list({ size: 60, sort: '-id', filter: historyFilter(query) })
    signal.throwIfAborted()
    const seen = new Set<string>()
    return items
      .filter((h) => !seen.has(`${h.method} ${h.url}`) && seen.add(`${h.method} ${h.url}`))
      .map((h) => ({
        id: `history ${h.id}`,
        text: h.path,
        hint: [queryOf(h.url), h.status ? `${h.status} ${h.statusText}` : h.error].filter(Boolean).join(' · '),
        words: `${h.method} ${h.url}`,
        key: '',
        method: h.method,
        run: () => void app.navigation.openHistory(h),
      }))
  },
} satisfies Source
