import { expect, test } from 'vitest'
import { readPasted, shellWords } from './paste'

const bases = ['http://127.0.0.1:8443/api']

test('a whole address becomes path and query, decoded', () => {
  expect(readPasted('http://127.0.0.1:8443/api/device/devices?size=5&filter=displayName~%22web%22&sort=%2Bid&empty', bases)).toEqual({
    path: '/device/devices',
    query: [
      { on: true, key: 'size', value: '5' },
      { on: true, key: 'filter', value: 'displayName~"web"' },
      { on: true, key: 'sort', value: '+id' },
      { on: true, key: 'empty', value: '' },
    ],
  })
})

test('an address of another portal loses its host and base', () => {
  expect(readPasted('https://acme.example.com/santaba/rest/alert/alerts', bases)).toEqual({ path: '/alert/alerts', query: [] })
})

test('a plain path is no paste to interpret', () => {
  expect(readPasted('/device/devices', bases)).toBeUndefined()
  expect(readPasted('devices and more', bases)).toBeUndefined()
})

test('a method before a path is taken', () => {
  expect(readPasted('delete /device/devices/7', bases)).toEqual({ method: 'DELETE', path: '/device/devices/7', query: [] })
})

test('a cURL command becomes the request, without what belongs to the session', () => {
  const command = `curl -X PUT 'http://127.0.0.1:8443/api/device/devices/7?dry=1' \\
    -H 'X-Version: 3' -H "Cookie: s=1" --header='Content-Type: application/json' \\
    --data-raw '{"name":"it'\\''s"}'`
  expect(readPasted(command, bases)).toEqual({
    method: 'PUT',
    path: '/device/devices/7',
    query: [{ on: true, key: 'dry', value: '1' }],
    headers: [{ on: true, key: 'X-Version', value: '3' }, { on: true, key: 'Content-Type', value: 'application/json' }],
    body: `{"name":"it's"}`,
  })
})

test('cURL data means POST, unless -G puts it into the query', () => {
  expect(readPasted(`curl http://127.0.0.1:8443/api/a -d '{}'`, bases)?.method).toBe('POST')
  expect(readPasted(`curl -G http://127.0.0.1:8443/api/a -d size=5`, bases)).toEqual({
    method: 'GET', path: '/a', headers: [], query: [{ on: true, key: 'size', value: '5' }],
  })
})

test('shell words undo quotes, escapes and continued lines', () => {
  expect(shellWords(`a 'b c' "d \\"e\\"" f\\ g \\\n h$'\\n'`)).toEqual(['a', 'b c', 'd "e"', 'f g', 'h\n'])
})
