import { defineConfig } from 'vitest/config'

/** Browser tests: one portal and one browser at a time, in the order of the files' names. */
export default defineConfig({
  test: { include: ['e2e/**/*.test.ts'], environment: 'node', fileParallelism: false, testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } },
})
