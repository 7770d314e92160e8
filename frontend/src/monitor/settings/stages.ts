/** Escalation chains in the form: destinations, each with stages of recipients. */
import { timeOfDay } from '../../ui/locale'
import { text } from './text'

const t = text.chains
const { way } = text.recipients

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

/** Formats a recipient: `admin by email`, `Night shift`. */
export function recipientText(r: Recipient): string {
  if (r.type.toUpperCase() === 'GROUP') return r.addr
  return text.recipients.by(
    r.addr,
    !r.method || r.method === 'email' ? way.mail : r.method === 'smsemail' ? way.textMail : r.method,
  )
}

/** Formats a period: `Mon–Fri 08:00–18:00`, `every day`. */
export function periodText(p: Period | undefined): string {
  if (!p) return t.anyTime
  const set = [...p.weekDays].sort((a, b) => a - b)
  const which =
    set.length === 7
      ? t.everyDay
      : set.join() === '2,3,4,5,6'
        ? t.workdays
        : set.join() === '1,7'
          ? t.weekend
          : set.map((d) => text.days[d - 1]).join(', ')
  return t.period(which, timeOfDay(0, p.startMinutes), timeOfDay(0, p.endMinutes))
}

/** Converts `08:30` to minutes after midnight; as an end, 00:00 is the end of the day. */
export function minutesOf(text: string, end = false): number {
  const [h, m] = text.split(':').map(Number)
  const all = h * 60 + m
  return end && all === 0 ? 1440 : all
}
