import { number } from '../../ui/locale'
import { size } from '../../response/status'
import { span } from '../age'

/** One run of a report. */
export interface Run {
  id: number
  reportId: number
  state: 'waiting' | 'running' | 'done' | 'failed'
  /** Percent. */
  progress: number
  createdOn: number
  startedOn: number
  endedOn: number
  /** Bytes. */
  size: number
  rows: number
  format: string
  error: string
  userName: string
  scheduled: boolean
  note: string
  pages: number
}

export const isOver = (run: Run) => run.state === 'done' || run.state === 'failed'

/** Only a page is opened here; the browser saves the others. */
export const opens = (run: Run) => run.state === 'done' && run.format === 'HTML'

/** What came of a run: `1,204 rows · 48 kB · in 2 s`. */
export function runText(run: Run): string {
  const rows = `${number(run.rows)} ${run.rows === 1 ? 'row' : 'rows'}`
  if (run.state === 'waiting') return 'Waits for its turn'
  if (run.state === 'running') return `${run.progress} % · ${rows} so far`
  if (run.state === 'failed') return run.error
  return [rows, ...(run.pages ? [`${run.pages} ${run.pages === 1 ? 'page' : 'pages'}`] : []), size(run.size), `in ${span(run.endedOn - run.startedOn)}`].join(' · ')
}

/** The page of a report with leave to bring its own style into a frame of this page, whose rules ask for it. */
export function withNonce(html: string, nonce: string): string {
  return html.replace(/<style(?=[\s>])/g, `<style nonce="${nonce.replace(/[^\w+/=-]/g, '')}"`)
}
