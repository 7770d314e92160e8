/** The stacks of tokens.css. */
const stacks = ['--font-ui', '--font-code']

/** Wide and narrow letters, so that two fonts hardly ever set it equally wide. */
const probe = 'mmmmmmmmmmlliWQ@#%'

/**
 * Takes the families that are not installed off the front of the stacks. WebKit
 * on Linux looks them all up anew for each size and weight, which is most of the
 * time to the first paint; here it does so once.
 */
export function chooseFonts(root: HTMLElement) {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return
  const width = (families: string) => {
    pen.font = `72px ${families}`
    return pen.measureText(probe).width
  }
  const otherwise = width('serif')
  for (const stack of stacks) {
    const families = getComputedStyle(root).getPropertyValue(stack).split(',')
    const first = families.findIndex((family) => width(`${family}, serif`) !== otherwise)
    if (first > 0) root.style.setProperty(stack, families.slice(first).join(','))
  }
}
