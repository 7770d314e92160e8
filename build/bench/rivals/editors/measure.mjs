/**
 * Opens a text of 50 MB in CodeMirror (the product's own copy) and in Monaco,
 * each in an empty page, and prints as JSON how many milliseconds pass until
 * its first lines are painted, the longest task, and JSON.parse of the same
 * text in the same page.
 *
 *   node measure.mjs FRONTEND < text
 */
import { createRequire } from 'node:module'
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, extname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const frontend = process.argv[2]
if (!frontend) {
  console.error('usage: node measure.mjs FRONTEND < text')
  process.exit(2)
}
const own = createRequire(join(frontend, 'package.json'))
const { chromium } = own('playwright-core')
const { build } = createRequire(own.resolve('vite'))('esbuild')
const text = await buffer(process.stdin)
const monaco = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/monaco-editor/min')
const rounds = 3 // odd, for the median

const bundle = await build({
  stdin: {
    resolveDir: frontend, loader: 'js',
    contents: `import { EditorState } from '@codemirror/state'
      import { EditorView, lineNumbers } from '@codemirror/view'
      import { json } from '@codemirror/lang-json'
      import { syntaxHighlighting, defaultHighlightStyle } from '@codemirror/language'
      window.open50 = (parent, doc) => new EditorView({ parent, state: EditorState.create({ doc, extensions: [lineNumbers(), json(), syntaxHighlighting(defaultHighlightStyle), EditorView.theme({ '&': { height: '800px' } })] }) })`,
  },
  bundle: true, format: 'iife', write: false, minify: true, define: { 'process.env.NODE_ENV': '"production"' },
})

const pages = {
  '/codemirror': '<!doctype html><div id="at"></div><script src="/codemirror.js"></script>',
  '/monaco': `<!doctype html><div id="at" style="height:800px"></div><script src="/vs/loader.js"></script><script>
    require.config({ paths: { vs: '/vs' } })
    require(['vs/editor/editor.main'], () => {
      window.open50 = (parent, value) => monaco.editor.create(parent, { value, language: 'json', largeFileOptimizations: true })
    })</script>`,
}
const types = { '.js': 'text/javascript', '.css': 'text/css', '.ttf': 'font/ttf' }
const server = createServer((asked, answer) => {
  const path = new URL(asked.url, 'http://x').pathname
  const send = (type, body) => answer.writeHead(200, { 'Content-Type': type }).end(body)
  if (pages[path]) return send('text/html', pages[path])
  if (path === '/text') return send('text/plain', text)
  if (path === '/codemirror.js') return send('text/javascript', bundle.outputFiles[0].contents)
  const file = join(monaco, path)
  if (!file.startsWith(monaco) || !existsSync(file) || !statSync(file).isFile()) return answer.writeHead(404).end()
  answer.writeHead(200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream' })
  createReadStream(file).pipe(answer)
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))
const origin = `http://127.0.0.1:${server.address().port}`

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
try {
  const out = {}
  for (const [name, lines] of [['codemirror', '.cm-line'], ['monaco', '.view-line']]) {
    const all = []
    for (let i = 0; i < rounds; i++) all.push(await measure(`${origin}/${name}`, lines))
    out[name] = Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all.map((r) => r[key]))]))
  }
  console.log(JSON.stringify(out))
} finally {
  await browser.close()
  server.close()
}

async function measure(url, lines) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(120_000)
  await page.goto(url)
  await page.waitForFunction(() => window.open50)
  const result = await page.evaluate(async (lines) => {
    const body = await (await fetch('/text')).text()
    let begun = performance.now()
    JSON.parse(body)
    const parse = performance.now() - begun
    const turns = new MessageChannel()
    let [last, task, over] = [performance.now(), 0, false]
    turns.port1.onmessage = () => {
      const now = performance.now()
      task = Math.max(task, now - last)
      last = now
      if (!over) turns.port2.postMessage(0)
    }
    turns.port2.postMessage(0)
    begun = performance.now()
    window.open50(document.getElementById('at'), body)
    while (!document.querySelector(lines)) await new Promise(requestAnimationFrame)
    await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
    const paint = performance.now() - begun
    await new Promise((done) => setTimeout(done, 500)) // what comes after belongs to it
    over = true
    return { paint, task, parse }
  }, lines)
  await page.close()
  return result
}

function median(values) {
  return values.toSorted((a, b) => a - b)[(values.length - 1) / 2]
}
