/**
 * Returns the longest task of a page while `act` runs, in milliseconds of CPU time, so that the load of other programs
 * does not count.
 */
export async function longestTask(page, act) {
  const session = await page.context().newCDPSession(page)
  const events = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  const ended = new Promise((done) => session.once('Tracing.tracingComplete', done))
  const includedCategories = ['toplevel', '__metadata']
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } })
  await act()
  await session.send('Tracing.end')
  await ended
  await session.detach()
  const threadOf = ({ pid, tid }) => `${pid} ${tid}`
  const names = events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain')
  const pages = new Set(names.map(threadOf))
  const times = events.filter((e) => e.tdur && pages.has(threadOf(e))).map((e) => e.tdur / 1000)
  if (!times.length) throw new Error('the trace has no tasks of the page')
  return times.reduce((most, time) => Math.max(most, time))
}
