import { expect, test } from 'vitest'
import { fileToRead, readCommands } from './curl'

const bases = ['http://127.0.0.1:8443/api']

const script = `#!/bin/sh
# two requests
curl 'https://acme.example/api/device/devices?size=5' \\
  -H 'X-A: b'

curl -X POST http://127.0.0.1:8443/api/device/devices --data-raw '{
curl is here, too
}' | jq .
`

test('every command of a script is a request', () => {
  const found = readCommands(script, bases)
  expect(found?.requests.map(({ name, draft: d }) => [name, d.method, d.path, d.query, d.headers, d.body])).toEqual([
    [
      'two requests',
      'GET',
      '/device/devices',
      [{ on: true, key: 'size', value: '5' }],
      [{ on: true, key: 'X-A', value: 'b' }],
      '',
    ],
    ['', 'POST', '/device/devices', [], [], '{\ncurl is here, too\n}'],
  ])
})

// An export of app/exchange with every kind of entry.
const ours = `#!/usr/bin/env bash
# Everything: 3 requests to http://127.0.0.1:8443/api
# Every request is sent, in order, until one fails. Responses go to standard output.

set -euo pipefail

: "\${SPYGLASS_TOKEN:?set it to an API token of the portal}"
var_baseUrl='http://127.0.0.1:8443/api' # {{$baseUrl}}
var_x='it'\\''s # {{no}} $HOME' # {{x-y}}
var_now_1h=$(($(date +%s) - 3600)) # {{$now-1h}}
var_uuid=$(uuidgen 2>/dev/null | tr A-Z a-z || cat /proc/sys/kernel/random/uuid) # {{$uuid}} of request 3
var_token=\${SPYGLASS_TOKEN:?set it to the value of token} # {{token}}
var_id=\${SPYGLASS_ID:?set it to the value of id} # {id}
var_hidden_1=\${SPYGLASS_HIDDEN_1:?set it to the value of hidden_1} # {{$hidden 1}}

in_url() {
  local LC_ALL=C s=$1 i c
      *) printf '%%%02X' "$(($(printf %d "'$c") & 255))" ;;
}

## Fleet

### Empty

### Writes

# Add one
#   It is checked
#   at once
curl --globoff --silent --show-error --fail-with-body --write-out '\\n' \\
  -H "Authorization: Bearer $SPYGLASS_TOKEN" \\
  -X POST "$var_baseUrl"'/device/devices' \\
  -H 'X-A: '"$var_token" \\
  --data-raw '{"a": "'"$(in_json "$var_x")"'", "at": '"$var_now_1h"', "u": "'"$var_uuid"'", "$var_x": "'"$var_hidden_1"'"}'

# GET /device/devices/{id}
curl --globoff \\
  -X GET "$var_baseUrl"'/device/devices/'"$(in_url "$var_id")"'?q='"$(in_url "$var_x")"

## Large

# Long
printf %s '{"long": "'"$(in_json "$var_x")"'"}' |
curl --globoff \\
  -X PUT "$var_baseUrl"'/a' \\
  --data-binary @-
`

test('a Spyglass script keeps headings, names, notes and variables', () => {
  const found = readCommands(ours, bases)
  const line = (r: {
    name: string
    doc: string
    draft: { method: string; path: string; query: unknown[]; headers: unknown[]; body: string }
  }) => [r.name, r.doc, r.draft.method, r.draft.path, r.draft.query, r.draft.headers, r.draft.body]
  expect(found?.variables).toEqual([{ name: 'x-y', value: "it's # {{no}} $HOME" }])
  expect(found?.requests).toEqual([])
  expect(
    found?.folders.map((f) => [
      f.name,
      f.requests.map(line),
      f.folders.map((g) => [g.name, g.requests.map(line), g.folders]),
    ]),
  ).toEqual([
    [
      'Fleet',
      [],
      [
        [
          'Writes',
          [
            [
              'Add one',
              'It is checked\nat once',
              'POST',
              '/device/devices',
              [],
              [{ on: true, key: 'X-A', value: '{{token}}' }],
              '{"a": "{{x-y}}", "at": {{$now-1h}}, "u": "{{$uuid}}", "$var_x": "********"}',
            ],
            ['', '', 'GET', '/device/devices/{id}', [{ on: true, key: 'q', value: '{{x-y}}' }], [], ''],
          ],
          [],
        ],
      ],
    ],
    ['Large', [['Long', '', 'PUT', '/a', [], [], '{"long": "{{x-y}}"}']], []],
  ])
})

test("a stranger's variables become ours", () => {
  const found = readCommands(
    'BASE="https://acme.example/santaba/rest"\nexport SIZE=5\nKEY=$(pass show key)\n\n# List\ncurl "$BASE/device/devices?size=${SIZE}" -H "X-Key: $KEY" -H \'X-B: $SIZE\'',
    bases,
  )
  expect(found?.variables).toEqual([{ name: 'SIZE', value: '5' }])
  expect(found?.notes).toEqual(['The server acme.example was ignored: the tab sends to its portal.'])
  expect(found?.requests.map(({ name, draft: d }) => [name, d.path, d.query, d.headers])).toEqual([
    [
      'List',
      '/device/devices',
      [{ on: true, key: 'size', value: '{{SIZE}}' }],
      [
        { on: true, key: 'X-Key', value: '{{KEY}}' },
        { on: true, key: 'X-B', value: '$SIZE' },
      ],
    ],
  ])
})

test('other text is unchanged', () => {
  expect(fileToRead('a.json', '{"info":{}}', [])).toEqual({
    file: { name: 'a.json', text: '{"info":{}}' },
    curl: false,
    notes: [],
  })
  expect(fileToRead('a.yaml', 'openapi: 3.0.0\ninfo:\n  description: |\n    curl /a\n', []).curl).toBe(false)
  expect(fileToRead('a.sh', 'set -e\necho curl\n', []).curl).toBe(false)
  expect(fileToRead('two.sh', 'curl /a', []).file.text).toContain('"spyglass":1,"name":"two"')
  expect(fileToRead('two.sh', '## One\ncurl /a', []).file.text).toContain('"collections":[{"name":"One"')
})
