/**
 * Runs what moves the page, when a field is left, only after the press that
 * left it: what was aimed at would be somewhere else by the time the button of
 * the pointer comes up, and the click would be lost. At once when none is down.
 */
export function released(run: () => void) {
  if (down) waiting.push(run)
  else run()
}

let down = false
let waiting: (() => void)[] = []

function up() {
  down = false
  setTimeout(() => {
    // the click comes first
    const runs = waiting
    waiting = []
    for (const run of runs) run()
  })
}

globalThis.addEventListener?.('pointerdown', () => (down = true), true)
for (const end of ['pointerup', 'pointercancel', 'dragend']) globalThis.addEventListener?.(end, up, true)
