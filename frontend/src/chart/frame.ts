/** The period that a chart of an alert shows. */

interface Event {
  /** Epoch seconds; endEpoch counts once it is cleared. */
  startEpoch: number
  endEpoch: number
  cleared: boolean
}

/** Lengths that charts have, in seconds: 10 minutes to a day. */
const lengths = [600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]

/** Returns the length of a chart of an event: about three times the length of the event. */
export function lengthOf({ startEpoch, endEpoch, cleared }: Event, now: number): number {
  const wanted = 3 * ((cleared ? endEpoch : now) - startEpoch)
  return lengths.find((l) => l >= wanted) ?? lengths[lengths.length - 1]
}

/**
 * Returns the period around an event, in epoch seconds: an active one ends it, a cleared one is in its middle. It moves
 * in steps of a 300th of its length, so that a chart that reloads often is drawn again only when that shows.
 */
export function frameOf(event: Event, now: number): { from: number; to: number } {
  const { startEpoch, endEpoch, cleared } = event
  const length = lengthOf(event, now)
  const step = Math.floor(length / 300)
  const until = Math.floor(now / step) * step
  const middle = endEpoch + Math.max(0, length - (endEpoch - startEpoch)) / 2
  const to = Math.floor(cleared ? Math.min(until, middle) : until)
  return { from: to - length, to }
}
