import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The looks of the whole page take a fifth of the time: they begin first, so that the others run beside them. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const first = (file: TestSpecification) => Number(file.moduleId.endsWith('/axe.test.ts'))
    return sorted.sort((a, b) => first(b) - first(a))
  }
}

/**
 * Browser tests: each file has a portal (a copy of one demo), and two files run side by side, each in a process that
 * has one browser and loads the test tools once. They wait long for what comes, because a slow machine is no mistake,
 * and what failed once is tried once more: the report names it as retried.
 */
const tests = defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    globalSetup: 'e2e/portal.ts',
    sequence: { sequencer: LongestFirst },
    environment: 'node',
    isolate: false,
    maxWorkers: 2,
    retry: 1,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 150 } },
  },
})

/** In the modes readme and screens, pictures are taken instead; in the mode walk, tasks are walked by keyboard. */
export default defineConfig(({ mode }) => {
  const include = { readme: 'e2e/pictures.ts', screens: 'e2e/pictures.ts', walk: 'e2e/walk.ts' }[mode]
  return include ? { test: { ...tests.test, include: [include], retry: 0, testTimeout: 300_000 } } : tests
})
