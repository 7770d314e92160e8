/** Numbers and moments as the user's system writes them, in its time zone. Every view takes them from here; moments are epoch milliseconds. */

const formatter = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(undefined, options)
  return (at: number | Date) => format.format(at)
}
const date = { day: 'numeric', month: 'short', year: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit' } as const

const counts = new Intl.NumberFormat()

/** `1,204` */
export const number = (n: number) => counts.format(n)

/** `15:03` */
export const time = formatter(clock)
/** `15:03:41` */
export const exactTime = formatter({ ...clock, second: '2-digit' })
/** `20 Nov` */
export const dayMonth = formatter({ day: 'numeric', month: 'short' })
/** `20 Nov, 15:03` */
export const dayTime = formatter({ day: 'numeric', month: 'short', ...clock })
/** `20 Nov 2026` */
export const day = formatter(date)
/** `20 Nov 2026, 15:03:41` */
export const exactMoment = formatter({ ...date, ...clock, second: '2-digit' })

/** The name of the time zone, `Europe/Berlin`. */
export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
