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
import ts from 'typescript'

/** Objects that the program only stores, by their format: the page knows what is in them. */
const pageTypes = { settings: 'Settings', 'settings-changes': 'SettingsChanges', view: 'TabView' }

/** The files by the documents that they are made of. */
const files = {
  '/api/openapi.json': { name: 'src/client/api.gen.ts' },
  '/explorer/openapi.json': {
    name: 'src/client/explorer.gen.ts',
    prepare: asThePageUsesIt,
    options: {
      arrayLength: true, // an array of a fixed length is a tuple
      defaultNonNullable: false, // a key with a default may be left out of a body
      emptyObjectsUnknown: true,
      inject: `import type { ${Object.values(pageTypes).join(', ')} } from './settings'`,
      transform: ({ format }) => pageTypes[format] && ts.factory.createTypeReferenceNode(pageTypes[format]),
    },
  },
}

const program = process.env.SPYGLASS_BIN
if (!program) {
  console.error('SPYGLASS_BIN must name the spyglass program')
  process.exit(2)
}

const documents = await openapi(program, Object.keys(files))
for (const [path, { name, options, prepare }] of Object.entries(files)) {
  const file = fileURLToPath(new URL(name, import.meta.url))
  prepare?.(documents[path])
  const text = COMMENT_HEADER + astToString(await openapiTS(documents[path], options))
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8')) !== text) {
    console.error(`${name} is not what the program serves: npm run types writes it anew`)
    process.exitCode = 1
  }
}

/**
 * Narrows a document to what the page does with it. A row has all of its keys: where the page requests some `fields`
 * only, it says which in the type (kept.ts). A body has no key that is read-only.
 */
function asThePageUsesIt({ paths, components }) {
  const named = ({ $ref }) => components.schemas[$ref?.split('/').at(-1)]
  for (const item of Object.values(paths))
    for (const { parameters = [], requestBody, responses } of Object.values(item)) {
      const body = requestBody && named(requestBody.content['application/json'].schema)
      for (const [key, schema] of Object.entries(body?.properties ?? {}))
        if (schema.readOnly) delete body.properties[key]
      if (!parameters.some((p) => p.name === 'fields')) continue
      const answer = named(responses[200].content['application/json'].schema)
      const row = answer.properties.searchId ? named(answer.properties.items.items) : answer
      row.required = Object.keys(row.properties)
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
