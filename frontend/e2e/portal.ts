/**
 * Starts real portals. SPYGLASS_BIN is the program, by default build/bin/spyglass.
 *
 * `fillDemo` starts a portal and waits until it has filled the demo, once before
 * all tests. Each portal with the demo gets a copy of its data.
 * SPYGLASS_E2E_CLOCK stops the clock of the portals at that time.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export const password = 'correct horse battery 9'

export interface Portal {
  url: string
  /** The folder on disk for collections. */
  collections: string
  /** Resolves when the demo has filled its history, including the last chart. */
  filled: Promise<void>
  stop(): Promise<void>
  /** Kills the portal and starts another in the same folder. */
  crash(): Promise<Portal>
}

/**
 * Starts a portal with its own data, in which admin, operator and viewer have `password`. Without the demo, the portal
 * is new and has only admin.
 */
export async function startPortal(demo = true): Promise<Portal> {
  const data = await newFolder()
  if (!demo) return serve(data, ['admin'])
  await cp(process.env.SPYGLASS_E2E_DEMO!, data, { recursive: true })
  return serve(data, [], '--demo')
}

/** Fills a demo and puts its folder in SPYGLASS_E2E_DEMO. The returned function deletes the folder. */
export default async function fillDemo() {
  const data = await newFolder()
  const demo = await serve(data, ['admin', 'operator', 'viewer'], '--demo')
  await demo.filled
  await demo.close()
  process.env.SPYGLASS_E2E_DEMO = data
  return () => drop(data)
}

const newFolder = () => mkdtemp(join(tmpdir(), 'spyglass-e2e-'))
const drop = (data: string) => rm(data, { recursive: true, force: true })

/** Starts a portal on a folder and gives the named users `password`. */
async function serve(data: string, names: string[], ...args: string[]): Promise<Portal & { close(): Promise<void> }> {
  const program = process.env.SPYGLASS_BIN ?? fileURLToPath(new URL('../../build/bin/spyglass', import.meta.url))
  const still = process.env.SPYGLASS_E2E_CLOCK
  const collections = join(data, 'collections')
  await mkdir(collections, { recursive: true })
  const rehearsals = join(data, 'rehearsals')
  await mkdir(rehearsals, { recursive: true })
  const folders = ['--collections', collections, '--rehearsals', rehearsals]
  const flags = [...args, '--rate-limit', 'off', ...folders, ...(still ? ['--clock', still] : [])]
  const child = spawn(program, ['serve', '--data', data, '--listen', '127.0.0.1:0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  const lines = createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
  const filled = new Promise<void>((done) =>
    lines.on('line', (line) => {
      if (line.includes('the demo history is filled')) done()
    }),
  )
  const close = () => ended(child)
  const stop = async () => {
    await close()
    await drop(data)
  }
  try {
    const url = await address(child, log)
    for (const name of names) await setPassword(program, data, name)
    const crash = async () => {
      const gone = new Promise((done) => child.once('exit', done))
      child.kill('SIGKILL')
      await gone
      return serve(data, [], ...args)
    }
    return { url, collections, filled, close, stop, crash }
  } catch (e) {
    await stop()
    throw e
  }
}

function address(child: ChildProcess, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the portal did not start within 30 s:\n${log.join('\n')}`)), 30_000)
    child.on('error', reject)
    child.on('exit', (code) => reject(new Error(`the portal ended with ${code}:\n${log.join('\n')}`)))
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const match = /^spyglass: (http:\/\/\S+)$/.exec(line)
      if (!match) return
      clearTimeout(late)
      resolve(match[1].replace(/\/$/, ''))
    })
  })
}

async function setPassword(program: string, data: string, name: string) {
  const child = spawn(program, ['user', 'password', '--data', data, name], { stdio: ['pipe', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (part) => (errors += String(part)))
  child.stdin.end(password)
  const code = await new Promise((done) => child.on('exit', done))
  if (code !== 0) throw new Error(`user password ${name}: ${errors}`)
}

async function ended(child: ChildProcess) {
  if (child.exitCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await gone
  clearTimeout(late)
}
