/** Shows a truncated text in full as a tooltip, unless it has a tooltip of its own. */
export function tellCut(page: Document): () => void {
  const ours = new WeakSet<Element>()

  function onpointerover({ target }: PointerEvent) {
    const cut = (target as Element).closest<HTMLElement>('.trunc')
    if (!cut || (!ours.has(cut) && cut.closest('[title]'))) return
    if (cut.scrollWidth > cut.clientWidth) {
      cut.title = cut.innerText.trim()
      ours.add(cut)
    } else if (ours.has(cut)) cut.removeAttribute('title')
  }

  page.addEventListener('pointerover', onpointerover)
  return () => page.removeEventListener('pointerover', onpointerover)
}
