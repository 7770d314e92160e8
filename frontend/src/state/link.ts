import { asFault, type History, type Link } from '../client'
import type { LinkTarget } from '../client/links'
import type { Side } from '../client/inspect'
import { emptyDraft } from './request/draft.svelte'
import { exampleSide, sideOf } from './response/compare.svelte'
import { leftIn, type Left } from './response/left'
import type { OpenTab } from './tabs/workspace.svelte'
import type { Page } from './page'
import { text } from './link-text'

/** Opens the link in the address of the page. */
export async function openAddress(page: Page, address: string) {
  try {
    await openLink(page, await page.client.readLink(address))
  } catch (e) {
    page.toasts.show(asFault(e).message, { tone: 'warn', stay: true })
  }
}

/** Opens a spyglass:// link. It sends no request, because the author of the link is unknown. */
export async function openLink(page: Page, { screen, id, filters, call, past, diff, problem }: Link) {
  const warn = (why: string) => page.toasts.show(why, { tone: 'warn', stay: true })
  if (problem) return warn(problem)
  if (page.portals.shown.remote) await page.portals.switchTo(0) // links belong to the portal of this machine
  if (page.portals.shown.remote) return // the reason is shown already
  if (screen) return page.navigation.watch(screen, id, recordOf(filters))
  if (diff) return openDiff(page, diff, warn)
  if (!call) return
  if (past) {
    const h = past.folder === folderOf(page) ? await sent(page, past.historyId) : undefined
    if (h?.method === call.method && h.url.includes(call.path)) {
      const tab = page.navigation.openHistory(h)
      tab.setView(viewOf(past))
      return h.kept ? undefined : warn(text.notKept)
    }
    warn(text.gone)
  }
  await page.portals.place.catalog.settled
  const { method, path } = call
  const query = call.query.map((pair) => ({ on: true, ...pair }))
  page.navigation.openDraft({
    ...emptyDraft(),
    method,
    path,
    template: page.portals.place.catalog.match(method, path)?.path ?? '',
    query,
  })
  if (!past) page.toasts.show(text.linked)
}

async function openDiff(page: Page, diff: NonNullable<Link['diff']>, warn: (why: string) => void) {
  const { folder, left, leftExample = 0, right, rightExample = 0, ignore } = diff
  const ours = folder === folderOf(page)
  const [before, after] = await Promise.all(
    ours ? [comparedIn(page, left, leftExample), comparedIn(page, right, rightExample)] : [],
  )
  if (!before || !after) return warn(text.comparedGone)
  const past = after.past ?? before.past
  if (past) page.navigation.openHistory(past)
  else page.navigation.newTab()
  page.navigation.compare(before.side, after.side, ignore.split(',').filter(Boolean))
}

/** Returns one side of a comparison: an example, or else a request of the history; undefined if it was deleted. */
async function comparedIn(
  page: Page,
  id: number,
  exampleId: number,
): Promise<{ side: Side; past?: History } | undefined> {
  if (exampleId) {
    const example = await page.client.collections.example(exampleId).catch(() => undefined)
    return example && { side: exampleSide(example) }
  }
  const past = await sent(page, id)
  return past?.kept ? { side: sideOf(past), past } : undefined
}

/** The id of the portal in whose data folder the history is. */
const folderOf = (page: Page) => page.portals.all.find((p) => !p.remote)?.instance

/** Returns a request of the user's history; undefined if it is not there. */
const sent = (page: Page, id: number) => page.client.history.get(id).catch(() => undefined)

const recordOf = (pairs: { key: string; value: string }[] = []): Record<string, string> =>
  Object.fromEntries(pairs.map((p) => [p.key, p.value]))
const pairsOf = (record: Record<string, string | undefined>) =>
  Object.entries(record).flatMap(([key, value]) => (value ? [{ key, value }] : []))

/** Between the names of lines, which contain spaces and commas. */
const separator = '|'

/** How a tab shows its response, as it is in a link. */
function lookOf(tab: OpenTab, historyId: number) {
  const { response, filter } = tab.view
  const { table, chart } = leftIn(tab.view, historyId)
  return pairsOf({
    view: typeof response === 'string' ? response : '',
    filter: typeof filter === 'string' ? filter : '',
    sort: table?.sort && `${table.desc ? '-' : ''}${table.sort}`,
    row: table?.row ? String(table.row) : '',
    lines: chart?.shown.join(separator),
    from: chart?.range && String(chart.range.from),
    to: chart?.range && String(chart.range.to),
  })
}

/** The opposite of lookOf: the view state of the tab. */
function viewOf({ historyId, view }: NonNullable<Link['past']>): Record<string, unknown> {
  const { view: response, filter, sort = '', row, lines = '', from, to } = recordOf(view)
  const left: Left = {}
  if (sort || row)
    left.table = { sort: sort.replace(/^-/, ''), desc: sort.startsWith('-'), row: Number(row) || 0, column: 0 }
  if (lines || from)
    left.chart = {
      shown: lines.split(separator).filter(Boolean),
      limits: true,
      table: false,
      ...(Number(from) < Number(to) && { range: { from: Number(from), to: Number(to) } }),
    }
  return { ...(response && { response }), ...(filter && { filter }), answer: { ...left, history: historyId } }
}

/** Copies the link to the current view. */
export async function copyLink(page: Page, filters: Record<string, string>) {
  try {
    const { link, without } = await page.client.linkTo(shownIn(page, filters))
    await navigator.clipboard.writeText(
      page.session.start?.desktop ? link : `${location.origin}/#${link.slice('spyglass://'.length)}`,
    )
    page.toasts.show(without.length ? text.linkCopiedWithout(without.join(', ')) : text.linkCopied, { tone: 'ok' })
  } catch (e) {
    page.toasts.show(asFault(e).message, { tone: 'warn' })
  }
}

/** Returns the target of a link to the current view: a screen, a comparison, a response, or the tab's request. */
function shownIn(page: Page, more: Record<string, string>): LinkTarget {
  const { spot } = page.monitor
  if (page.navigation.view === 'monitor')
    return { target: { screen: spot.screen, id: spot.id, filters: pairsOf({ ...spot.filters, ...more }) } }
  const tab = page.portals.place.workspace.active
  if (!tab) return { draft: emptyDraft() }
  const { comparison } = page
  if (comparison.left && comparison.right && comparison.tab === tab.key) {
    const [left, right] = [comparison.left, comparison.right].map((side) => historyOf(page, side))
    const [leftExample, rightExample] = [comparison.left.exampleId, comparison.right.exampleId]
    const ignore = comparison.ignore.join(',')
    return { target: { diff: { folder: '', left, leftExample, right, rightExample, ignore } } }
  }
  const { reply, stale, fault } = tab.draft
  if (reply?.historyId && !stale && !fault)
    return { target: { past: { folder: '', historyId: reply.historyId, view: lookOf(tab, reply.historyId) } } }
  return { draft: tab.draft.data() }
}

/** Returns the id in the history of one side of a comparison; 0 if it is not there. */
function historyOf(page: Page, side: Side): number {
  const open = page.portals.place.workspace.tabs.find((t) => side.document && t.draft.reply?.document === side.document)
  return side.historyId ?? open?.draft.reply?.historyId ?? 0
}
