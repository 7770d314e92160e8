const named = /(?:On|At|Time|Epoch|Date|Timestamp|InMs|_on|_at|_time)$|^(?:time|epoch|date|timestamp|start|end|at|cleared|expires)$/
const [earliest, latest] = [946_684_800, 4_102_444_800] // 2000 and 2100, in seconds

const clock = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23',
})

/**
 * The local time of a number that is an epoch: `20 Nov 2026, 15:03:41`. The
 * key must read like a moment (createdOn, lastDataTime, startEpoch) and the
 * number lie between 2000 and 2100, in seconds or milliseconds; '' otherwise.
 */
export function localTime(key: string, text: string): string {
  if (!named.test(key) || !/^\d{9,13}$/.test(text)) return ''
  const value = Number(text)
  const seconds = value > latest ? value / 1000 : value
  if (seconds < earliest || seconds > latest) return ''
  return clock.format(seconds * 1000)
}
