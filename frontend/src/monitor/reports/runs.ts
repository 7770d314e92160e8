import { size } from '../../ui/status'
import { span } from '../age'
import { text } from './text'

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

/** Whether a run can be opened here; the browser saves other formats. */
export const opens = (run: Run) => run.state === 'done' && run.format === 'HTML'

/** Returns the result of a run: `1,204 rows · 48 kB · in 2 s`. */
export function runText(run: Run): string {
  if (run.state === 'waiting') return text.runs.waits
  if (run.state === 'running') return text.runs.running(run.progress, run.rows)
  if (run.state === 'failed') return run.error
  return text.runs.done(
    run.rows,
    run.pages,
    size(run.size),
    run.endedOn > run.startedOn ? span(run.endedOn - run.startedOn) : text.runs.aMoment,
  )
}

/** Returns the HTML of a report with a nonce for its style, which the content security policy of this page requires. */
export function withNonce(html: string, nonce: string): string {
  return html.replace(/<style(?=[\s>])/g, `<style nonce="${nonce.replace(/[^\w+/=-]/g, '')}"`)
}
