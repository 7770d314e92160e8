/** The anchor of a popover: an element, or the point of a click. */
export type Anchor = Element | { x: number; y: number }

export interface Anchoring {
  /** The edge that the popover shares with its anchor. */
  align?: 'left' | 'right'
  gap?: number
  /** As wide as the anchor, but at least this wide. */
  least?: number
  /** At most this high. */
  most?: number
  /** If there is this much room below, the popover scrolls instead of opening above. */
  enough?: number
  /** Updates the position when the page scrolls or the layout around the anchor changes. */
  follow?: boolean
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

interface Size {
  width: number
  height: number
}

const edge = 8

/** Places a popover below its anchor, or above it if there is more room, inside the window. */
export function place(at: Box, own: Size, page: Size, { align = 'left', gap = 4, enough = Infinity }: Anchoring = {}) {
  const below = page.height - at.bottom - gap - edge
  const above = at.top - gap - edge
  const isBelow = Math.min(own.height, enough) <= below || below >= above
  const room = Math.max(0, isBelow ? below : above)
  const left = align === 'right' ? at.right - own.width : at.left
  return {
    left: Math.max(edge, Math.min(left, page.width - own.width - edge)),
    top: isBelow ? at.bottom + gap : at.top - gap - Math.min(own.height, room),
    room,
  }
}

/** Shows a popover in the top layer, so that no pane clips it, and keeps it at its anchor. */
export function anchored(anchor: () => Anchor | undefined, how: Anchoring = {}) {
  const { least, most = Infinity, follow = false } = how
  return (element: HTMLElement) => {
    const { style } = element
    Object.assign(style, { position: 'fixed', inset: 'auto', margin: '0' })
    if (!element.matches('[popover]:popover-open')) element.showPopover?.()

    function settle() {
      const to = anchor()
      if (!to) return
      const at =
        to instanceof Element ? to.getBoundingClientRect() : { left: to.x, right: to.x, top: to.y, bottom: to.y }
      if (least !== undefined) style.width = `${Math.min(Math.max(at.right - at.left, least), innerWidth - 2 * edge)}px`
      const border = element.offsetHeight - element.clientHeight
      const own = { width: element.offsetWidth, height: Math.min(element.scrollHeight + border, most) }
      const { left, top, room } = place(at, own, { width: innerWidth, height: innerHeight }, how)
      Object.assign(style, { left: `${left}px`, top: `${top}px`, maxHeight: `${Math.min(room, most)}px` })
    }

    settle()
    const size = new ResizeObserver(settle)
    size.observe(element)
    addEventListener('resize', settle)
    const onscroll = (e: Event) => {
      if (e.target !== element) settle()
    }
    const around = new MutationObserver(settle)
    if (follow) {
      addEventListener('scroll', onscroll, true)
      const to = anchor()
      for (let e = to instanceof Element ? to.parentElement : null; e; e = e.parentElement)
        around.observe(e, { childList: true })
    }
    return () => {
      size.disconnect()
      around.disconnect()
      removeEventListener('resize', settle)
      removeEventListener('scroll', onscroll, true)
    }
  }
}
