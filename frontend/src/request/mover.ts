/**
 * Moves rows by dragging a handle: the row follows the pointer. Rows are the [data-row] elements directly below root,
 * in order.
 */
export function mover(root: () => HTMLElement | undefined, move: (from: number, to: number) => unknown) {
  return {
    grab(e: PointerEvent, at: number) {
      const grip = e.currentTarget
      if (e.button !== 0 || !(grip instanceof HTMLElement)) return
      e.preventDefault()
      let now = at
      const rows = () => [...(root()?.querySelectorAll<HTMLElement>(':scope > [data-row]') ?? [])]
      const drag = (p: PointerEvent) => {
        const to = rows().findIndex((r) => p.clientY < r.getBoundingClientRect().bottom)
        const next = to < 0 ? rows().length - 1 : to
        if (next === now || next < 0) return
        move(now, next)
        now = next
      }
      const end = () => {
        removeEventListener('pointermove', drag)
        removeEventListener('pointerup', end)
        removeEventListener('pointercancel', end)
      }
      addEventListener('pointermove', drag)
      addEventListener('pointerup', end)
      addEventListener('pointercancel', end)
    },
  }
}
