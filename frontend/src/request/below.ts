/** Reports whether an element's content continues below its visible part, now and after each change. */
export function moreBelow(report: (below: boolean) => void) {
  return (element: HTMLElement) => {
    const look = () => report(element.scrollHeight - element.clientHeight - element.scrollTop > 8)
    const sizes = new ResizeObserver(look)
    const follow = () => {
      sizes.disconnect()
      for (const part of [element, ...element.children]) sizes.observe(part)
    }
    const parts = new MutationObserver(follow)
    parts.observe(element, { childList: true })
    element.addEventListener('scroll', look)
    follow()
    return () => {
      sizes.disconnect()
      parts.disconnect()
      element.removeEventListener('scroll', look)
    }
  }
}
