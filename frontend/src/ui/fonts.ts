import type { Fonts } from '../client'

/** Wide and narrow letters, so that two fonts hardly ever have the same width. */
const probe = 'mmmmmmmmmmlliWQ@#%'

/**
 * Removes families that are not installed from the front of the font stacks. WebKit on Linux looks them all up again
 * for each size and weight, which takes most of the time to the first paint.
 */
export function chooseFonts(root: HTMLElement): Fonts | undefined {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return
  const width = (families: string) => {
    pen.font = `72px ${families}`
    return pen.measureText(probe).width
  }
  const otherwise = width('serif')
  const stack = (name: keyof Fonts) => {
    const families = getComputedStyle(root).getPropertyValue(`--fonts-${name}`).split(',')
    const first = families.findIndex((family) => width(`${family}, serif`) !== otherwise)
    return families.slice(Math.max(first, 0)).join(',').trim()
  }
  const fonts = { ui: stack('ui'), code: stack('code') }
  for (const name of ['ui', 'code'] as const) {
    if (root.style.getPropertyValue(`--font-${name}`) !== fonts[name])
      root.style.setProperty(`--font-${name}`, fonts[name])
  }
  return fonts
}
