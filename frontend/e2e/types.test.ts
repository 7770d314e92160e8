import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('the generated types match the OpenAPI documents', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['types.mjs', '--check'])
  expect(stderr).toBe('')
})
