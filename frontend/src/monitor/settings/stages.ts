/** Escalation chains as they are drawn: destinations, each with stages of recipients. */
import { timeOfDay } from '../../ui/locale'
export interface Recipient {
  type: string
  method?: string
  addr: string
  contact?: string
}

export interface Period {
  weekDays: number[]
  timezone: string
  startMinutes: number
  endMinutes: number
}

export interface Destination {
  type: string
  period?: Period
  stages: Recipient[][]
}

/** `admin by mail`, `Night shift`. */
export function recipientText(r: Recipient): string {
  if (r.type.toUpperCase() === 'GROUP') return r.addr
  return `${r.addr} by ${!r.method || r.method === 'email' ? 'mail' : r.method === 'smsemail' ? 'text mail' : r.method}`
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** `Mon–Fri 08:00–18:00`, `every day`. */
export function periodText(p: Period | undefined): string {
  if (!p) return 'at any time'
  const set = [...p.weekDays].sort((a, b) => a - b)
  const which = set.length === 7 ? 'Every day' : set.join() === '2,3,4,5,6' ? 'Mon–Fri' : set.join() === '1,7' ? 'Sat and Sun' : set.map((d) => days[d - 1]).join(', ')
  return `${which} ${timeOfDay(0, p.startMinutes)}–${timeOfDay(0, p.endMinutes)}`
}

/** `08:30` as minutes after midnight; at an end, 00:00 is the day's. */
export function minutesOf(text: string, end = false): number {
  const [h, m] = text.split(':').map(Number)
  const all = h * 60 + m
  return end && all === 0 ? 1440 : all
}
