/** Schedules of five cron fields, as people say them. */
import { timeOfDay } from '../../ui/locale'

export type Rhythm = 'never' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'own'

export interface Plan {
  rhythm: Rhythm
  hour: number
  minute: number
  /** 0 is Sunday; of a weekly one. */
  weekday: number
  /** 1 to 28; of a monthly one. */
  day: number
}

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const short: Record<string, number> = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 }
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

const usual: Plan = { rhythm: 'never', hour: 7, minute: 0, weekday: 1, day: 1 }

/** What a cron line says, where it is one of the usual rhythms. */
export function planOf(cron: string): Plan {
  const text = cron.trim()
  if (!text) return usual
  const [minute, hour, day, month, weekday] = text.split(/\s+/)
  const at = { ...usual, minute: Number(minute), hour: Number(hour) }
  const own: Plan = { ...usual, rhythm: 'own' }
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour ?? '') || at.minute > 59 || at.hour > 23 || month !== '*') return own
  if (day === '*' && weekday === '*') return { ...at, rhythm: 'daily' }
  if (day === '*' && /^(1-5|mon-fri)$/i.test(weekday ?? '')) return { ...at, rhythm: 'weekdays' }
  if (day === '*' && dayNumber(weekday) !== undefined) return { ...at, rhythm: 'weekly', weekday: dayNumber(weekday)! }
  if (/^\d+$/.test(day) && Number(day) >= 1 && Number(day) <= 28 && weekday === '*') return { ...at, rhythm: 'monthly', day: Number(day) }
  return own
}

/** The plan as a cron line; '' for never, and `own` is not its business. */
export function cronOf({ rhythm, hour, minute, weekday, day }: Plan): string {
  const at = `${minute} ${hour}`
  if (rhythm === 'daily') return `${at} * * *`
  if (rhythm === 'weekdays') return `${at} * * 1-5`
  if (rhythm === 'weekly') return `${at} * * ${weekday}`
  return rhythm === 'monthly' ? `${at} ${day} * *` : ''
}

function dayNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[0-6]$/.test(text)) return Number(text)
  return short[text.toLowerCase()]
}

/** `Mondays at 07:00`, `on the 1st of each month at 06:30`; of others the parts of the line. */
export function scheduleText(cron: string): string {
  const plan = planOf(cron)
  const time = timeOfDay(plan.hour, plan.minute)
  if (plan.rhythm === 'never') return 'Only when asked'
  if (plan.rhythm === 'daily') return `Every day at ${time}`
  if (plan.rhythm === 'weekdays') return `Monday to Friday at ${time}`
  if (plan.rhythm === 'weekly') return `${weekdays[plan.weekday]}s at ${time}`
  if (plan.rhythm === 'monthly') return `On the ${ordinal(plan.day)} of each month at ${time}`
  return ownText(cron.trim())
}

function ordinal(n: number): string {
  const end = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${n}${end}`
}

/** Each field in words, where it is a list, a range or a step; the line itself where it is not understood. */
function ownText(cron: string): string {
  const parts = cron.split(/\s+/)
  if (parts.length !== 5) return cron
  const [minute, hour, day, month, weekday] = parts
  const said: string[] = []
  if (/^\d+$/.test(minute) && /^\d+(,\d+)*$/.test(hour)) said.push(`At ${hour.split(',').map((h) => timeOfDay(Number(h), Number(minute))).join(' and ')}`)
  else {
    const minutes = field(minute, 'minute', String)
    const hours = field(hour, 'hour', String)
    if (minutes === undefined || hours === undefined) return cron
    said.push(minutes === '' ? 'Every minute' : /^every/.test(minutes) ? minutes[0].toUpperCase() + minutes.slice(1) : `At minute ${minutes}`)
    if (hours) said.push(/^every/.test(hours) ? `of ${hours}` : `in the hours ${hours}`)
  }
  const days = field(day, 'day', (n) => ordinal(Number(n)))
  const which = field(weekday, 'weekday', (n) => weekdays[dayNumber(n) ?? Number(n) % 7] ?? n)
  const when = field(month, 'month', (n) => months[Number(n) - 1] ?? n)
  if (days === undefined || which === undefined || when === undefined) return cron
  // As cron has it: where both are given, either is enough.
  const both = [days && (/^every/.test(days) ? days : `on the ${days}`), which && `on ${which}`].filter(Boolean)
  if (both.length) said.push(both.join(' or '))
  if (when) said.push(/^every/.test(when) ? when : `in ${when}`)
  return said.join(' ')
}

/** '' for any; undefined for what is not understood. */
function field(text: string, unit: string, name: (n: string) => string): string | undefined {
  if (text === '*' || text === '?') return ''
  const step = /^\*\/(\d+)$/.exec(text)
  if (step) return `every ${step[1]} ${unit}s`
  const words = text.split(',').map((one) => {
    const range = /^(\w+)-(\w+)$/.exec(one)
    if (range) return `${name(range[1])} to ${name(range[2])}`
    return /^\w+$/.test(one) ? name(one) : undefined
  })
  if (words.some((w) => w === undefined)) return undefined
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${words.at(-1)}` : words[0]
}
