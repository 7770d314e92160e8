import { matches } from './keys'

const regions = 'dialog, [role="dialog"], [role="tabpanel"], section, main'

/**
 * Handles Ctrl+A where no field or list handles it: selects the text of the panel or dialog, and not the whole window
 * with its buttons.
 */
export function selectAll(e: KeyboardEvent) {
  if (e.defaultPrevented || !matches('Mod+A', e)) return
  const focused = e.target as Element
  if (focused.closest('input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable="true"]')) return
  e.preventDefault()
  const selection = getSelection()
  const clicked = selection?.anchorNode // the place of the last click, if it did not move the focus
  const at = focused !== document.body ? focused : clicked instanceof Element ? clicked : clicked?.parentElement
  const region = at?.closest(regions)
  if (region) selection?.selectAllChildren(region)
}
