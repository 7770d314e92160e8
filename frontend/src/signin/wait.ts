/** How long to wait, in words: `Try again in 1 min 5 s`. */
export function wait(seconds: number): string {
  const [min, s] = [Math.floor(seconds / 60), seconds % 60]
  return `Try again in ${min ? `${min} min${s ? ` ${s} s` : ''}` : `${s} s`}`
}
