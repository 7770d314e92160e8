/** The text of runs. */
import { counted, number } from '../../ui/locale'

export const text = {
  batchDialog: {
    runItems: (items: string) => `Run ${items}`,
    thereAreNo: 'It contains no requests.',
    theseAreRequests: (n: number, most: number) =>
      `${number(n)} requests are selected. You can run at most ${number(most)} at once.`,
    oneAfterThe: (requests: string, name: string) => `Sends ${requests} to ${name} and checks the responses.`,
    atATime: 'At a time',
    dataFile: 'Data file',
    noFile: 'None',
    choose: 'Choose…',
    removeFile: 'Remove',
    dataHint: 'Runs once for each row of a CSV or JSON file. Its columns are variables.',
    tooLarge: (name: string) => `${name} has more than 4 MiB, the maximum for a data file`,
    notRead: (name: string) => `${name} cannot be read. Is it a folder?`,
    stopAtThe: 'Stop at the first failure',
    cancel: 'Cancel',
    run: (n: number) => `Run ${counted(n, 'request')}`,
  },
  batchResults: {
    notOpened: (message: string) => `Not opened: ${message}`,
    deletedRequest: 'Deleted request',
    run: 'Run',
    cancelRun: 'Cancel run',
    closeTheResults: 'Close the results',
    row: (n: number) => `row ${number(n)}`,
    checks: (passed: number, all: number) => `${number(passed)}/${number(all)}`,
    checksOf: (name: string, passed: number, all: number) =>
      `Checks of ${name}: ${number(passed)} of ${number(all)} passed`,
    report: 'Report',
    reportNotLoaded: (message: string) => `Could not load the formats of reports: ${message}`,
    requestsSent: 'Requests sent',
    results: 'Results',
  },
  batchChecks: {
    checksOf: (name: string) => `Checks of ${name}`,
    close: 'Close',
    result: 'Result',
    check: 'Check',
    expected: 'Expected',
    actual: 'Actual',
    passed: 'passed',
    failed: 'failed',
    missing: 'This run has so many checks that not all are listed.',
  },
} as const
