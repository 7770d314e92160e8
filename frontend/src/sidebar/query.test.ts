import { expect, test } from 'vitest'
import { historyFilter } from './query'

test('words become a filter on path and address', () => {
  for (const [query, want] of [
    ['', ''],
    ['post', 'method:"POST"'],
    ['404', 'status:404'],
    ['5xx', 'status>:500,status<:599'],
    ['devices', 'path~"devices"||url~"devices"'],
    ['get dev 200', 'method:"GET",status:200,path~"dev"||method:"GET",status:200,url~"dev"'],
    ['a"b\\', 'path~"a\\"b\\\\"||url~"a\\"b\\\\"'],
  ])
    expect(historyFilter(query)).toBe(want)
})
