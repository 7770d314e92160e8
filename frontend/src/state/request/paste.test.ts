import { describe, expect, test } from 'vitest'
import { pairs, readPasted, type Pasted } from './paste'
import { shellWords } from './shell'

const bases = ['http://127.0.0.1:8443/api']
const base = bases[0]
const row = (key: string, value: string) => ({ on: true, key, value })

describe('an address', () => {
  test('becomes path and query, decoded', () => {
    expect(readPasted(`${base}/device/devices?size=5&filter=displayName~%22web%22&sort=%2Bid&empty`, bases)).toEqual({
      path: '/device/devices',
      query: [row('size', '5'), row('filter', 'displayName~"web"'), row('sort', '+id'), row('empty', '')],
    })
  })

  test('may have unescaped spaces in its query', () => {
    const query = [row('filter', 'name~"a b"'), row('size', '5')]
    expect(readPasted('/device/devices?filter=name~"a b"&size=5', bases)).toEqual({ path: '/device/devices', query })
    expect(readPasted('get /device/devices?filter=name~"a b"&size=5', bases)).toEqual({
      method: 'GET',
      path: '/device/devices',
      query,
    })
    expect(readPasted('/device/devices?size=5\n/device/groups?size=5', bases)).toBeUndefined()
    expect(readPasted('is it /device/devices?', bases)).toBeUndefined()
  })

  test('of another portal loses its host and base', () => {
    expect(readPasted('https://acme.example.com/santaba/rest/alert/alerts', bases)).toEqual({
      path: '/alert/alerts',
      query: [],
      notes: ['The server acme.example.com was ignored: the tab sends to its portal.'],
    })
  })

  test('of the same server is recognized at each of its mounts', () => {
    expect(readPasted('http://127.0.0.1:8443/santaba/rest/alert/alerts', bases)).toEqual({
      path: '/alert/alerts',
      query: [],
    })
  })

  test('a plain path is no paste to interpret', () => {
    expect(readPasted('/device/devices', bases)).toBeUndefined()
    expect(readPasted('devices and more', bases)).toBeUndefined()
  })

  test('a path from the root of a server starts below its API', () => {
    expect(readPasted('/santaba/rest/device/devices/{id}', bases)).toEqual({ path: '/device/devices/{id}', query: [] })
    expect(readPasted('/api/alert/alerts', bases)).toEqual({ path: '/alert/alerts', query: [] })
    expect(readPasted('/apitokens', bases)).toBeUndefined()
  })

  test('a method before a path is used', () => {
    expect(readPasted('delete /device/devices/7', bases)).toEqual({
      method: 'DELETE',
      path: '/device/devices/7',
      query: [],
    })
  })
})

describe('a cURL command', () => {
  const request = (more: Partial<Pasted>): Pasted => ({
    method: 'GET',
    path: '/a',
    query: [],
    headers: [],
    body: '',
    ...more,
  })

  test.each<[string, string, Partial<Pasted>]>([
    ['nothing but an address', `curl ${base}/a`, {}],
    ['a prompt in front', `$ curl ${base}/a`, {}],
    ['an address without a scheme', `curl 127.0.0.1:8443/api/a`, { path: '/a' }],
    ['--url, and flags without a value', `curl -sSL --compressed --url ${base}/a -k`, {}],
    ['-X apart and together', `curl -X DELETE ${base}/a`, { method: 'DELETE' }],
    ['flags written together', `curl -sXPUT ${base}/a -d '{}'`, { method: 'PUT', body: '{}' }],
    ['--request=', `curl --request=PATCH ${base}/a`, { method: 'PATCH' }],
    ['data means POST', `curl ${base}/a -d '{"a":1}'`, { method: 'POST', body: '{"a":1}' }],
    ['--json in two pieces', `curl ${base}/a --json '{"a":' --json '1}'`, { method: 'POST', body: '{"a":1}' }],
    ['data twice is joined by &', `curl ${base}/a -d x=1 --data y=2`, { method: 'POST', body: 'x=1&y=2' }],
    [
      '-G puts the data into the query',
      `curl -G ${base}/a -d size=5 --data-urlencode 'filter=name~"a b"'`,
      { query: [row('size', '5'), row('filter', 'name~"a b"')] },
    ],
    [
      'headers, an empty one and one left out',
      `curl ${base}/a -H 'X-A: 1' -H 'X-Empty;' -H 'X-Out:' -H "Host: x"`,
      { headers: [row('X-A', '1'), row('X-Empty', '')] },
    ],
    [
      'Authorization is dropped and reported',
      `curl ${base}/a -H 'Authorization: Bearer t' -H 'Accept: */*'`,
      { headers: [row('Accept', '*/*')], notes: ['Authorization was ignored: your session is used instead.'] },
    ],
    [
      'so are user and cookie',
      `curl -u me:secret -b 's=1' ${base}/a -H 'cookie: t=2'`,
      { notes: ['Authorization and Cookie were ignored: your session is used instead.'] },
    ],
    ['values of flags are no address', `curl -o out.json -m 5 --retry 3 ${base}/a`, {}],
    [
      'lines continued with a backslash',
      `curl \\\n  -X POST \\\r\n  '${base}/a' \\\n  -d '{"name":"it'\\''s"}'`,
      { method: 'POST', body: `{"name":"it's"}` },
    ],
    [
      '$-quoting as Chrome writes it',
      `curl '${base}/a' --data-raw $'{"n":"it\\'s \\u00e9\\n"}'`,
      { method: 'POST', body: `{"n":"it's é\n"}` },
    ],
    [
      'cmd: carets and doubled escapes',
      `curl ^"${base}/a^" ^\r\n  -X ^"PUT^" ^\r\n  --data-raw ^"^{^\\^"a^\\^":1^}^"`,
      { method: 'PUT', body: '{"a":1}' },
    ],
    [
      "PowerShell: backticks and ''",
      `curl.exe '${base}/a' \`\n  -X POST \`\n  -d '{\\"n\\":\\"it''s\\"}'`,
      { method: 'POST', body: `{"n":"it's"}` },
    ],
    [
      'a form is refused in words',
      `curl -F file=@x -F a=1 --form b=2 ${base}/a`,
      {
        method: 'POST',
        notes: [
          '-F was ignored: the body must be text, not a form or a file.',
          '--form was ignored: the body must be text, not a form or a file.',
        ],
      },
    ],
    [
      'so is a file to upload',
      `curl -T x ${base}/a`,
      { method: 'PUT', notes: ['-T was ignored: the body must be text, not a form or a file.'] },
    ],
    [
      'a body in a file is missed',
      `curl -d @body.json --data-urlencode a@b ${base}/a`,
      {
        method: 'POST',
        notes: [
          'The file body.json was not read. Paste its contents into the body.',
          'The file b was not read. Paste its contents into the body.',
        ],
      },
    ],
    ['--data-raw has no files', `curl --data-raw @x ${base}/a`, { method: 'POST', body: '@x' }],
    [
      'a body from a pipe is missed',
      `curl -d @- ${base}/a`,
      { method: 'POST', notes: ['The standard input was not read. Paste it into the body.'] },
    ],
    [
      'HEAD becomes GET, and says so',
      `curl -I ${base}/a`,
      { notes: ['HEAD was replaced by GET: only GET, POST, PUT, PATCH and DELETE can be sent.'] },
    ],
    [
      'a quote that is not closed is reported',
      `curl '${base}/a`,
      { notes: ['A quote is not closed, so the end may be missing.'] },
    ],
    [
      'another server is reported',
      `curl https://example.com/a`,
      { notes: ['The server example.com was ignored: the tab sends to its portal.'] },
    ],
    ['a {{variable}} stays one', `curl ${base}/a/{{id}}?x={{y}}`, { path: '/a/{{id}}', query: [row('x', '{{y}}')] }],
  ])('%s', (_, command, want) => {
    expect(readPasted(command, bases)).toEqual(request(want))
  })

  test('data read from a file becomes the body', () => {
    expect(readPasted(`curl -X PUT --data-binary @- ${base}/a`, bases, '{"a":1}')).toEqual(
      request({ method: 'PUT', body: '{"a":1}' }),
    )
  })

  test('without an address is none', () => {
    expect(readPasted('curl -X POST', bases)).toBeUndefined()
  })
})

test.each([
  [`a 'b c' "d \\"e\\"" f\\ g \\\n h$'\\n'`, ['a', 'b c', 'd "e"', 'f g', 'h\n']],
  [`'' "" x`, ['', '', 'x']],
  [`"a\\b" 'c\\d'`, ['a\\b', 'c\\d']],
  ["$'\\x41\\101\\u20ac\\''", ["AA€'"]],
])('shell words of %j', (command, words) => {
  expect(shellWords(command)).toEqual(words)
})

test.each([
  [
    'size=2&filter=displayName~"a b&c"',
    [
      ['size', '2'],
      ['filter', 'displayName~"a b&c"'],
    ],
  ],
  [
    'filter=name:"a\\"&b",id>1&sort=id',
    [
      ['filter', 'name:"a\\"&b",id>1'],
      ['sort', 'id'],
    ],
  ],
  [
    'a="b&c=d',
    [
      ['a', '"b'],
      ['c', 'd'],
    ],
  ],
  [
    'a=%22b%22&&c',
    [
      ['a', '"b"'],
      ['c', ''],
    ],
  ],
])('the pairs of %j', (search, want) => {
  expect(pairs(search).map((r) => [r.key, r.value])).toEqual(want)
})
