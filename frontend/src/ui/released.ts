/**
 * Runs a change of the layout, such as when a field loses the focus, after the pointer is released: otherwise the
 * target would move during the click, and the click would be lost. Runs at once if no button is pressed.
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
    // run after the click
    const runs = waiting
    waiting = []
    for (const run of runs) run()
  })
}

globalThis.addEventListener?.('pointerdown', () => (down = true), true)
for (const end of ['pointerup', 'pointercancel', 'dragend']) globalThis.addEventListener?.(end, up, true)
