/**
 * `npm run types` writes src/client/api.gen.ts, the TypeScript types of the portal's
 * API, from the OpenAPI document that the program in SPYGLASS_BIN answers.
 * With --check it only says whether the file is up to date.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'

const file = fileURLToPath(new URL('src/client/api.gen.ts', import.meta.url))
const program = process.env.SPYGLASS_BIN
if (!program) {
  console.error('SPYGLASS_BIN must name the spyglass program')
  process.exit(2)
}

const text = COMMENT_HEADER + astToString(await openapiTS(await openapi(program)))
if (!process.argv.includes('--check')) await writeFile(file, text)
else if ((await readFile(file, 'utf8')) !== text) {
  console.error('src/client/api.gen.ts is not what the program answers: npm run types writes it anew')
  process.exit(1)
}

/** The document, from a portal that runs for as long as it takes to ask. */
async function openapi(program) {
  const data = await mkdtemp(join(tmpdir(), 'spyglass-types-'))
  const server = spawn(program, ['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((done) => server.once('close', done))
  try {
    const url = await address(server)
    const { stdout } = await promisify(execFile)(program, ['token', 'create', '--data', data, '--user', 'admin'])
    const answer = await fetch(`${url}/api/openapi.json`, {
      headers: { Authorization: `Bearer ${JSON.parse(stdout).bearer}` },
    })
    if (!answer.ok) throw new Error(`the portal answers ${answer.status}: ${await answer.text()}`)
    return await answer.json()
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
