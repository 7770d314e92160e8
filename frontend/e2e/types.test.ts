import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('the types of the portal’s API are those of its OpenAPI document', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['types.mjs', '--check'])
  expect(stderr).toBe('')
})
