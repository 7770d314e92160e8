import { asFault, type CheckKind, type Client } from '../../client'

let kinds: Promise<CheckKind[]> | undefined

/** Returns the kinds of checks that Go declares. Requests them once for all tabs. Rejects with a Fault. */
export function kindsOfChecks(client: Pick<Client, 'checkKinds'>): Promise<CheckKind[]> {
  kinds ??= client.checkKinds().catch((e: unknown) => {
    kinds = undefined // a later call tries again
    throw asFault(e)
  })
  return kinds
}

/** Splits two texts into the beginning they share, the middle in which they differ, and the end they share. */
export function difference(a: string, b: string): { before: string; a: string; b: string; after: string } {
  const [x, y] = [[...a], [...b]]
  const most = Math.min(x.length, y.length)
  let head = 0
  while (head < most && x[head] === y[head]) head++
  let tail = 0
  while (tail < most - head && x[x.length - 1 - tail] === y[y.length - 1 - tail]) tail++
  const middle = (of: string[]) => of.slice(head, of.length - tail).join('')
  return {
    before: x.slice(0, head).join(''),
    a: middle(x),
    b: middle(y),
    after: x.slice(x.length - tail).join(''),
  }
}
