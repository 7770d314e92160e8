import type { Client } from '../client'

const pageSize = 200
const pagesKept = 20

/** The loaded lines of one body. */
export class Lines {
  total = $state(0)
  problem = $state('')
  #version = $state(0)
  #pages = new Map<number, { lines: string[]; numbers: number[] }>()
  #fetching = new Set<number>()
  #wanted: number[] = []

  constructor(
    private client: Pick<Client, 'lines'>,
    private document: string,
    total: number,
  ) {
    this.total = total
  }

  /** Returns the line at an index, or undefined while it is loading. */
  at(index: number): string | undefined {
    void this.#version
    return this.#pages.get(Math.floor(index / pageSize))?.lines[index % pageSize]
  }

  /** Returns the number of the line at an index; 0 if it continues the one before, or is loading. */
  numberAt(index: number): number {
    void this.#version
    return this.#pages.get(Math.floor(index / pageSize))?.numbers[index % pageSize] ?? 0
  }

  /** Loads the missing lines of first…last, at most two pages at a time. */
  need(first: number, last: number) {
    this.#wanted = []
    const end = Math.min(last, this.total - 1)
    for (let page = Math.floor(Math.max(0, first) / pageSize); page * pageSize <= end; page++)
      if (!this.#pages.has(page)) this.#wanted.push(page)
    this.#next()
  }

  #next() {
    for (const page of this.#wanted) if (!this.#fetching.has(page) && this.#fetching.size < 2) void this.#fetch(page)
  }

  async #fetch(page: number) {
    this.#fetching.add(page)
    try {
      const { lines, numbers, total } = await this.client.lines(this.document, page * pageSize, pageSize)
      this.#pages.set(page, { lines, numbers })
      for (const old of this.#pages.keys()) {
        if (this.#pages.size <= pagesKept) break
        this.#pages.delete(old)
      }
      this.total = total
      this.problem = ''
      this.#version++
    } catch (e) {
      this.problem = (e as Error).message
    } finally {
      this.#fetching.delete(page)
      this.#wanted = this.#wanted.filter((p) => p !== page)
      this.#next()
    }
  }
}
