/**
 * Compares screenshots of every screen with the accepted screenshots, and exits with 1 if any differ.
 *
 *   npm run screens                       lists the differences, with the share of changed pixels
 *   npm run screens -- palette            checks only the states with that word in their name
 *   npm run screens -- --against main     compares with another commit
 *   npm run screens -- --accept           accepts the current screenshots in accepted.txt
 *
 * The commit that last changed accepted.txt defines the accepted screenshots. Git stores no screenshots, because fonts
 * differ between machines. Instead, this script builds that commit and takes its screenshots here, once. The clocks of
 * the demo and the browser are fixed, so that both programs show the same data.
 *
 * The screenshots are in build/screens: expected/, actual/, and different/ with both and their difference.
 * SPYGLASS_BIN is the program, by default a build of this checkout.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const note = 'frontend/e2e/accepted.txt'
const folder = join(root, 'build/screens')
const still = '2026-01-15T09:00:00Z'

const args = process.argv.slice(2)
const accepts = args.includes('--accept')
const against = args.includes('--against') ? args[args.indexOf('--against') + 1] : ''
const word = args.find((a) => !a.startsWith('--') && a !== against) ?? ''

process.on('SIGINT', () => process.exit(130)) // runs the cleanup on `exit` below

const accepted = against ? git('rev-parse', against) : git('log', '-1', '--format=%H', '--', note)
if (!accepted && !accepts) fail(`No pictures are accepted yet. Run npm run screens -- --accept, and commit ${note}.`)
if (accepts && word) fail('--accept needs all pictures: run it without a word.')

const actual = join(folder, 'actual')
rmSync(actual, { recursive: true, force: true })
take(root, process.env.SPYGLASS_BIN ?? build(root), actual)

const expected = accepted ? pictures(accepted) : ''
const results = expected ? compare(expected, actual, join(folder, 'different')) : []
for (const r of results) console.log(`${r.name}: ${r.what}`)
const count = readdirSync(actual).length
console.log(
  results.length
    ? `${results.length} of ${count} pictures differ from those of ${accepted.slice(0, 12)}: see build/screens/different`
    : `${count} pictures, no differences${accepted ? ` to those of ${accepted.slice(0, 12)}` : ''}`,
)
if (accepts) accept()
else if (results.length) process.exitCode = 1

function git(...words) {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
}

function fail(why) {
  console.error(why)
  process.exit(2)
}

function run(cwd, program, words, env = {}) {
  const { status } = spawnSync(program, words, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) fail(`${[program, ...words].join(' ')} failed`)
}

/** Builds the page and the program of a checkout, and returns the path of the program. */
function build(checkout) {
  run(join(checkout, 'frontend'), 'npm', ['run', 'build', '--silent', '--', '--logLevel', 'warn'])
  run(checkout, 'go', ['build', '-o', 'build/bin/spyglass', '.'])
  return join(checkout, 'build/bin/spyglass')
}

/** Takes screenshots with the tests of the checkout, which match its pages. */
function take(checkout, program, to) {
  const words = ['vitest', 'run', '--config', 'vitest.e2e.config.ts', '--mode', 'screens', '--reporter', 'dot']
  const env = { SPYGLASS_BIN: program, SPYGLASS_E2E_CLOCK: still, SCREENS: to, SCREENS_OF: word }
  run(join(checkout, 'frontend'), 'npx', words, env)
}

/** Returns the folder with the screenshots of a commit. Takes them first if they do not exist on this machine. */
function pictures(commit) {
  const key = createHash('sha256').update(`${commit} ${still} ${machine()}`).digest('hex').slice(0, 16)
  const all = join(folder, 'expected', `${commit.slice(0, 12)}-${key}`)
  if (existsSync(all)) return all
  rmSync(join(folder, 'expected'), { recursive: true, force: true })
  const checkout = mkdtempSync(join(tmpdir(), 'spyglass-accepted-'))
  process.once('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', checkout], { cwd: root })
    rmSync(checkout, { recursive: true, force: true })
  })
  git('worktree', 'add', '--quiet', '--detach', checkout, commit)
  if (!existsSync(join(checkout, 'frontend/e2e/pictures.ts'))) fail(`${commit} is older than this command`)
  const lock = (of) => readFileSync(join(of, 'frontend/package-lock.json'), 'utf8')
  if (lock(checkout) === lock(root))
    symlinkSync(join(root, 'frontend/node_modules'), join(checkout, 'frontend/node_modules'))
  else run(join(checkout, 'frontend'), 'npm', ['ci', '--no-audit', '--no-fund', '--silent'])
  const taken = join(folder, 'taken')
  rmSync(taken, { recursive: true, force: true })
  take(checkout, build(checkout), taken)
  if (word) return taken
  cpSync(taken, all, { recursive: true }) // keeps only complete sets
  rmSync(taken, { recursive: true })
  return all
}

/** Identifies the browser version and the fonts, which affect the screenshots. */
function machine() {
  const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
  return [[chromium, '--version'], ['fc-list']]
    .map(([program, ...words]) => spawnSync(program, words, { encoding: 'utf8' }).stdout?.split('\n').sort().join())
    .join()
}

/** Returns the differences, and writes both screenshots and their difference to `to`. */
function compare(expected, actual, to) {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const wanted = (name) =>
    name
      .split('.')[0]
      .replaceAll('-', ' ')
      .includes(word.replace(/[^\w]+/g, ' '))
  const [before, now] = [expected, actual].map((of) => new Set(readdirSync(of).filter(wanted)))
  return [...new Set([...before, ...now])].sort().flatMap((file) => {
    const name = file.replace(/\.png$/, '').replaceAll('.', ' ')
    if (!now.has(file)) return [{ name, what: 'gone' }]
    if (!before.has(file)) return [{ name, what: 'new' }]
    const [was, is] = [expected, actual].map((of) => readFileSync(join(of, file)))
    if (was.equals(is)) return []
    const [a, b] = [PNG.sync.read(was), PNG.sync.read(is)]
    if (a.width !== b.width || a.height !== b.height) return [{ name, what: 'another size' }]
    const picture = new PNG({ width: a.width, height: a.height })
    const pixels = pixelmatch(a.data, b.data, picture.data, a.width, a.height, { threshold: 0.1 })
    if (!pixels) return []
    const path = (what) => join(to, file.replace(/png$/, `${what}.png`))
    writeFileSync(path('expected'), was)
    writeFileSync(path('actual'), is)
    writeFileSync(path('difference'), PNG.sync.write(picture))
    return [{ name, what: `${((100 * pixels) / (a.width * a.height)).toFixed(2)} %` }]
  })
}

function accept() {
  if (expected && !results.length) return
  const lines = [
    'The pictures of "npm run screens" are accepted as they are in the commit that last changed this file.',
    accepted ? `${results.length} of ${count} are other ones than in ${accepted.slice(0, 12)}:` : `${count} pictures.`,
    ...results.map((r) => `${r.name}: ${r.what}`),
  ]
  writeFileSync(join(root, note), `${lines.join('\n')}\n`)
  console.log(`Accepted. Commit ${note} with the change.`)
}
