import { matches } from './keys'

const regions = 'dialog, [role="dialog"], [role="tabpanel"], section, main'

/**
 * Ctrl+A where nothing takes it: selects what is read there, a panel or a
 * dialog, and never the whole window with its buttons. Fields and lists have
 * their own meaning of the key.
 */
export function selectAll(e: KeyboardEvent) {
  if (e.defaultPrevented || !matches('Mod+A', e)) return
  const focused = e.target as Element
  if (focused.closest('input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable="true"]')) return
  e.preventDefault()
  const selection = getSelection()
  const clicked = selection?.anchorNode // where the last click was, if it took no focus
  const at = focused !== document.body ? focused : clicked instanceof Element ? clicked : clicked?.parentElement
  const region = at?.closest(regions)
  if (region) selection?.selectAllChildren(region)
}
