import { expect, test } from 'vitest'
import { fileToRead, readCommands } from './curl'

const script = `#!/bin/sh
# two requests
curl 'https://acme.example/api/device/devices?size=5' \\
  -H 'X-A: b'

curl -X POST http://127.0.0.1:8443/api/device/devices --data-raw '{
curl is here, too
}'
`

test('every command of a script is a request', () => {
  const drafts = readCommands(script, ['http://127.0.0.1:8443/api'])
  expect(drafts?.map((d) => [d.method, d.path, d.query, d.headers])).toEqual([
    ['GET', '/device/devices', [{ on: true, key: 'size', value: '5' }], [{ on: true, key: 'X-A', value: 'b' }]],
    ['POST', '/device/devices', [], []],
  ])
})

test('what is no cURL goes as it is', () => {
  expect(fileToRead('a.json', '{"info":{}}', [])).toEqual({ file: { name: 'a.json', text: '{"info":{}}' }, curl: false })
  expect(fileToRead('two.sh', 'curl /a', []).file.text).toContain('"spyglass":1,"name":"two"')
})
