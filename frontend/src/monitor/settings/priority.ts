import type { RestClient } from '../../client/rest'

interface Ranked {
  id: number | string
  priority?: unknown
}

const last = 2_147_483_647

/**
 * Swaps the priorities of two rules. Priorities are unique, so one gets a free number meanwhile; if the second step
 * fails, it is restored.
 */
export async function swap(rest: RestClient['rest'], one: Ranked, other: Ranked) {
  const at = (rule: Ranked) => `/setting/alert/rules/${rule.id}`
  const put = (rule: Ranked, priority: unknown) => rest.write('PATCH', at(rule), { priority })
  await put(one, last)
  try {
    await put(other, one.priority)
  } catch (e) {
    await put(one, one.priority)
    throw e
  }
  await put(one, other.priority)
}
