/** The body of a response. Go stores it under an id; the page requests the rows in view. */

export interface DocRow {
  node: number
  line: number
  depth: number
  kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'end'
  key?: string
  index?: number
  text?: string
  cut?: boolean
  count?: number
  open?: boolean
  preview?: string
  comma?: boolean
  hint?: string
}

export interface Rows {
  rows: DocRow[]
  total: number
}

export interface Found {
  count: number
  index: number
  row: number
  path: string
  total: number
}

export interface DocumentClient {
  rows(document: string, from: number, count: number): Promise<Rows>
  toggle(document: string, node: number, open: boolean, deep: boolean, from: number, count: number): Promise<Rows>
  /** What is open of the tree, to have it so again; also of another document of the same bytes. */
  left(document: string): Promise<string>
  unfold(document: string, left: string, from: number, count: number): Promise<Rows>
  lines(document: string, from: number, count: number): Promise<{ lines: string[]; total: number }>
  nodePath(document: string, node: number): Promise<string>
  nodeValue(document: string, node: number): Promise<string>
  /** In keys and values; opens the tree around the match. */
  find(document: string, query: string, from: number, matchCase: boolean, signal?: AbortSignal): Promise<Found>
  /** In the body as it came; `row` is a line. */
  findText(document: string, query: string, from: number, matchCase: boolean, signal?: AbortSignal): Promise<Found>
  /** The address of the body as it came, to save it. */
  rawUrl(document: string): string
  /** The first 4 KiB of the body in hexadecimal, 16 bytes a line. */
  hex(document: string): Promise<string>
}
