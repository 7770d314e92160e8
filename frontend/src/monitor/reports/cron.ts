/** Converts schedules of five cron fields to presets and text. */
import { timeOfDay } from '../../ui/locale'
import { text } from './text'

const { parts, ...texts } = text.schedule

export type Rhythm = 'never' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | 'own'

export interface Plan {
  rhythm: Rhythm
  hour: number
  minute: number
  /** 0 is Sunday; for a weekly schedule. */
  weekday: number
  /** 1 to 28; for a monthly schedule. */
  day: number
}

const short: Record<string, number> = { sun: 0, mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6 }

const usual: Plan = { rhythm: 'never', hour: 7, minute: 0, weekday: 1, day: 1 }

/** Returns the preset of a cron expression, if it is one. */
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
  if (/^\d+$/.test(day) && Number(day) >= 1 && Number(day) <= 28 && weekday === '*')
    return { ...at, rhythm: 'monthly', day: Number(day) }
  return own
}

/** Returns the cron expression of a plan; '' for never and for `own`. */
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

/**
 * Describes a schedule: `Mondays at 07:00`, `on the 1st of each month at 06:30`; for other
 * expressions, their parts.
 */
export function scheduleText(cron: string): string {
  const plan = planOf(cron)
  const time = timeOfDay(plan.hour, plan.minute)
  if (plan.rhythm === 'never') return texts.rhythms.never
  if (plan.rhythm === 'daily') return texts.daily(time)
  if (plan.rhythm === 'weekdays') return texts.workdays(time)
  if (plan.rhythm === 'weekly') return texts.weekly(texts.weekdays[plan.weekday], time)
  if (plan.rhythm === 'monthly') return texts.monthly(texts.ordinal(plan.day), time)
  return ownText(cron.trim())
}

/**
 * Describes each field that is a list, a range or a step; returns the expression itself if it is
 * not understood.
 */
function ownText(cron: string): string {
  const fields = cron.split(/\s+/)
  if (fields.length !== 5) return cron
  const [minute, hour, day, month, weekday] = fields
  const times = /^\d+$/.test(minute) && /^\d+(,\d+)*$/.test(hour)
  const minutes = field(minute, parts.minutes, parts.everyMinutes, String)
  const all = [
    times
      ? parts.times(hour.split(',').map((h) => timeOfDay(Number(h), Number(minute))))
      : minutes === ''
        ? parts.everyMinute
        : minutes,
    times ? '' : field(hour, parts.hours, parts.everyHours, String),
    daysText(
      field(day, parts.days, parts.everyDays, (n) => texts.ordinal(Number(n))),
      field(weekday, parts.weekdays, parts.everyDays, (n) => texts.weekdays[dayNumber(n) ?? Number(n) % 7] ?? n),
    ),
    field(month, parts.months, parts.everyMonths, (n) => texts.months[Number(n) - 1] ?? n),
  ]
  return all.some((part) => part === undefined) ? cron : all.filter(Boolean).join(' ')
}

/** As in cron: if both are given, either is enough. */
function daysText(day: string | undefined, weekday: string | undefined): string | undefined {
  if (day === undefined || weekday === undefined) return undefined
  return day && weekday ? parts.either(day, weekday) : day || weekday
}

/** Returns '' for any value; undefined for unsupported syntax. */
function field(
  written: string,
  of: (list: string) => string,
  every: (step: string) => string,
  name: (n: string) => string,
): string | undefined {
  if (written === '*' || written === '?') return ''
  const step = /^\*\/(\d+)$/.exec(written)
  if (step) return every(step[1])
  const words = written.split(',').map((one) => {
    const range = /^(\w+)-(\w+)$/.exec(one)
    if (range) return parts.range(name(range[1]), name(range[2]))
    return /^\w+$/.test(one) ? name(one) : undefined
  })
  return words.some((w) => w === undefined) ? undefined : of(parts.list(words as string[]))
}
