// Before the first paint: the theme of the system where the user wants no other, the window's zoom, and its fonts
// where they are known.
const page = document.documentElement
page.dataset.theme ||= matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'
if (page.dataset.zoom) page.style.zoom = page.dataset.zoom
if (page.dataset.fontUi) page.style.setProperty('--font-ui', page.dataset.fontUi)
if (page.dataset.fontCode) page.style.setProperty('--font-code', page.dataset.fontCode)
