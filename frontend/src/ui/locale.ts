/**
 * Formats numbers and times like the user's system, in its time zone. Every view uses this module;
 * times are in epoch milliseconds.
 */

/**
 * The surrounding sentences are English, so digits are Latin, whatever the system uses: `٢٠` is
 * read in another direction.
 */
const digits = { numberingSystem: 'latn' } as const

/**
 * Returns the locale of numbers and times; undefined for the system's own. A system without one has that of POSIX in
 * WebKit, which groups no digits.
 */
export const localeOf = (system: string) => (/^c$|posix/i.test(system) ? 'en-US' : undefined)
const locale = localeOf(Intl.NumberFormat().resolvedOptions().locale)

const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(locale, { ...options, ...digits })
  return (at: number | Date) => format.format(at)
}
const date = { day: 'numeric', month: 'short', year: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit' } as const

const numbers = (options?: Intl.NumberFormatOptions) => {
  const format = new Intl.NumberFormat(locale, { ...options, ...digits })
  return (n: number) => format.format(n)
}

/** `1,204` */
export const number = numbers()
/** `1,205` for 1204.7 */
export const whole = numbers({ maximumFractionDigits: 0 })
/** `18.4`, `2.0` */
export const oneDecimal = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 })
/** `98.2`, `0.013`: three significant digits. */
export const threeDigits = numbers({ maximumSignificantDigits: 3 })
/** `57.46`: four significant digits. */
export const fourDigits = numbers({ maximumSignificantDigits: 4 })
/** `98.213`: five significant digits. */
export const fiveDigits = numbers({ maximumSignificantDigits: 5 })
const short = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 4, ...digits })
/** `1.204K`, `120M`: some languages write `m` for million, which would read as a unit. */
export const compact = (n: number) =>
  short
    .formatToParts(n)
    .map(({ type, value }) => (type === 'compact' ? (suffixes[value] ?? value) : value))
    .join('')
const suffixes: Record<string, string> = { k: 'K', m: 'M', bn: 'B', tn: 'T' }

/**
 * Formats decimal numbers of a locale so that they can be typed again: with its decimal sign, but
 * without thousands separators.
 */
export function decimalsOf(locale?: string) {
  const sign = new Intl.NumberFormat(locale, digits).formatToParts(0.5).find((p) => p.type === 'decimal')?.value ?? '.'
  return {
    /** Converts the typed `1,5` to `1.5`; returns a text that is not a number unchanged. */
    read: (typed: string) => (sign !== '.' && !typed.includes('.') ? typed.replace(sign, '.') : typed),
    /** Converts `1.5` to `1,5`; returns a text that is not a number unchanged. */
    write: (plain: string) => (plain !== '' && Number.isFinite(Number(plain)) ? plain.replace('.', sign) : plain),
  }
}
/** For the user's locale. */
export const decimals = decimalsOf(locale)

/** `15:03` */
export const time = formatter(clock)
/** `15:03:41` */
export const exactTime = formatter({ ...clock, second: '2-digit' })
/** `20 Nov` */
export const dayMonth = formatter({ day: 'numeric', month: 'short' })
/** `20 Nov, 15:03` */
export const dayTime = formatter({ day: 'numeric', month: 'short', ...clock })
/** `20 Nov, 15:03 – 16:10`, `20 Nov, 15:03 – 21 Nov, 02:00` */
export const momentsOf = (from: number, to: number) =>
  `${dayTime(from)} – ${day(from) === day(to) ? time(to) : dayTime(to)}`
/** `20 Nov 2026` */
export const day = formatter(date)
/** `20 Nov 2026, 15:03:41` */
export const exactMoment = formatter({ ...date, ...clock, second: '2-digit' })
/** `20 Nov 2026, 15:03:41 CET`: for places where the time zone is ambiguous. */
export const zonedMoment = formatter({ ...date, ...clock, second: '2-digit', timeZoneName: 'short' })

const wall = formatter({ ...clock, timeZone: 'UTC' })
/** `07:05`, `07:05 AM`: a time of day without a date, for example of a schedule. */
export const timeOfDay = (hour: number, minute: number) => wall(Date.UTC(2026, 0, 1, hour, minute))

/** `Fri, 20 Nov 2026, 15:03` in a time zone, or in the system's if it does not know that zone. */
export function weekdayMoment(at: number, zone: string): string {
  const options = { weekday: 'short', ...date, ...clock, ...digits } as const
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }).format(at)
  } catch {
    return new Intl.DateTimeFormat(locale, options).format(at)
  }
}

/** The name of the time zone, `Europe/Berlin`. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
/** The names of all time zones; empty if the browser does not list them. */
export const zones: readonly string[] =
  typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : []

/**
 * Returns the days of the week, 0 for Sunday, from the first day of the locale; from Monday if the browser does not
 * provide it.
 */
export function weekOf(locale: string): readonly number[] {
  const known = new Intl.Locale(locale) as { getWeekInfo?(): { firstDay: number }; weekInfo?: { firstDay: number } }
  const first = (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1
  return [0, 1, 2, 3, 4, 5, 6].map((n) => (first + n) % 7)
}
/** The days of the user's week. */
export const week = weekOf(Intl.DateTimeFormat(locale).resolvedOptions().locale)

const two = (n: number) => String(n).padStart(2, '0')

/**
 * `2026-11-20T15:03:41` in the system's time zone: the value of a date and time input, in any
 * locale.
 */
export function inputMoment(at: number | Date): string {
  const d = new Date(at)
  return `${String(d.getFullYear()).padStart(4, '0')}-${two(d.getMonth() + 1)}-${two(d.getDate())}T${inputTime(d.getHours(), d.getMinutes())}:${two(d.getSeconds())}`
}
/** `07:05`: the value of a time input; an hour may be given as minutes. */
export const inputTime = (hour: number, minute: number) => `${two(hour + Math.floor(minute / 60))}:${two(minute % 60)}`

/** `a, b, and c` and `a, b, or c`, in the language of the page. */
export const series = (names: string[]) => new Intl.ListFormat('en', { type: 'conjunction' }).format(names)
export const alternatives = (names: string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names)

/** Returns a count with its noun: 1 request, 1,204 requests. */
export const counted = (n: number, one: string, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`
