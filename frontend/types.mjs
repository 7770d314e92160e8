/**
 * `npm run types` writes the TypeScript types of the portal's API and of the page's own
 * endpoints from the OpenAPI documents that the program in SPYGLASS_BIN serves.
 * With --check it only says whether the files are up to date.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

/** The files by the documents that they are made of. */
const files = {
  '/api/openapi.json': { name: 'src/client/api.gen.ts' },
  '/explorer/openapi.json': {
    name: 'src/client/explorer.gen.ts',
    // an array of a fixed length is a tuple, and a key with a default may be left out of a body
    options: { arrayLength: true, defaultNonNullable: false },
  },
}

const program = process.env.SPYGLASS_BIN
if (!program) {
  console.error('SPYGLASS_BIN must name the spyglass program')
  process.exit(2)
}

const documents = await openapi(program, Object.keys(files))
for (const [path, { name, options }] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, import.meta.url))
  const text = COMMENT_HEADER + astToString(await openapiTS(documents[path], options))
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8')) !== text) {
    console.error(`${name} is not what the program serves: npm run types writes it anew`)
    process.exitCode = 1
  }
}

/** The documents by path, from a portal that runs until all are read. */
async function openapi(program, paths) {
  const data = await mkdtemp(join(tmpdir(), 'spyglass-types-'))
  const server = spawn(program, ['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((done) => server.once('close', done))
  try {
    const url = await address(server)
    const { stdout } = await promisify(execFile)(program, ['token', 'create', '--data', data, '--user', 'admin'])
    const headers = { Authorization: `Bearer ${JSON.parse(stdout).bearer}` }
    const all = {}
    for (const path of paths) {
      const response = await fetch(url + path, { headers })
      if (!response.ok) throw new Error(`GET ${path} failed: ${response.status} ${await response.text()}`)
      all[path] = await response.json()
    }
    return all
  } finally {
    server.kill()
    await ended
    await rm(data, { recursive: true, force: true })
  }
}

function address(server) {
  let said = ''
  server.stderr.on('data', (part) => (said += part))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`the portal ended:\n${said}`)))
    createInterface({ input: server.stdout }).on('line', (line) => {
      const match = /^spyglass: (http:\/\/[^/\s]+)/.exec(line)
      if (match) resolve(match[1])
    })
  })
}
