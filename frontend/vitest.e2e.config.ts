import { defineConfig } from 'vitest/config'

/** Browser tests: each file has a portal (a copy of one demo) and a browser of its own, and two files run side by side. They wait long for what comes, because a slow machine is no mistake, and what failed once is tried once more: the report names it as retried. */
export default defineConfig({
  test: { include: ['e2e/**/*.test.ts'], globalSetup: 'e2e/portal.ts', environment: 'node', maxWorkers: 2, retry: 1, minWorkers: 1, testTimeout: 180_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } },
})
