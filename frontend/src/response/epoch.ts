import { exactMoment } from '../ui/locale'

const named =
  /(?:On|At|Time|Epoch|Date|Timestamp|InMs|_on|_at|_time)$|^(?:time|epoch|date|timestamp|start|end|at|cleared|expires)$/
const [earliest, latest] = [946_684_800, 4_102_444_800] // 2000 and 2100, in seconds

/**
 * Returns the local time of a number that is an epoch: `20 Nov 2026, 15:03:41`. The key must sound
 * like a time (createdOn, lastDataTime, startEpoch) and the number lie between 2000 and 2100, in
 * seconds or milliseconds; otherwise returns ''.
 */
export function localTime(key: string, text: string): string {
  if (!named.test(key) || !/^\d{9,13}$/.test(text)) return ''
  const value = Number(text)
  const seconds = value > latest ? value / 1000 : value
  if (seconds < earliest || seconds > latest) return ''
  return exactMoment(seconds * 1000)
}
