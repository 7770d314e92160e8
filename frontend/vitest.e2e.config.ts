import { defineConfig } from 'vitest/config'

/** Browser tests: each file has a portal and a browser of its own, two at a time. */
export default defineConfig({
  test: { include: ['e2e/**/*.test.ts'], environment: 'node', fileParallelism: true, minWorkers: 2, maxWorkers: 2, testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 10_000 } } },
})
