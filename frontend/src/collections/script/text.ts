/** The text of scripts. */
import { number } from '../../ui/locale'

export const text = {
  write: 'Write a script…',
  writeOf: (n: number) => `Write a script of ${number(n)} entries…`,
  scriptDialog: {
    runbook: 'Runbook',
    asOne: (n: number, what: string) => `${n === 1 ? 'One request' : `${number(n)} requests`} as one ${what}`,
    theyRunIn: 'They run in the order they were sent and stop at the first different status. The token comes from',
    theyRunInThis: 'They run in this order and stop at the first unexpected status. The token comes from',
    spyglassToken: 'SPYGLASS_TOKEN',
    secretsFromThe: ', secrets from the environment.',
    languageOfThe: 'Language of the script',
    script: 'Script',
    allPages: 'Get all pages of lists',
    saveToFile: 'Save to file',
    the: (what: string) => `the ${what}`,
    copy: (what: string) => `Copy ${what}`,
    close: 'Close',
  },
} as const
