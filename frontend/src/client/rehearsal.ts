/** Rehearsals: the copy of a remote portal, and the changes to carry over. Loaded with their dialog. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'
import type { Script } from './past'

export type RehearsalState = Schemas['RehearsalState']
export type CopyPlan = Schemas['CopyPlan']
export type RehearsalReport = Schemas['RehearsalReport']
/** A difference between a copy and its portal. */
export type RehearsalNote = RehearsalReport['notes'][number]
export type RehearsalChanges = Schemas['RehearsalChanges']
/** A request that makes a change of the rehearsal in the portal. */
export type RehearsalStep = RehearsalChanges['steps'][number]

/** All calls concern the portal of the client or, for a copy, its original portal. */
export interface RehearsalClient {
  /** With `since`, resolves when there is another version, or after 20 s. */
  rehearsal(since?: number, signal?: AbortSignal): Promise<RehearsalState>
  planCopy(): Promise<CopyPlan>
  /** Copies in the background, or resumes it. */
  startCopy(): Promise<RehearsalState>
  stopCopy(): Promise<RehearsalState>
  copyReport(): Promise<RehearsalReport>
  openCopy(): Promise<Schemas['OpenedCopy']>
  deleteCopy(): Promise<RehearsalState>
  /** Offline, the portal is not read again. */
  compareCopy(offline: boolean): Promise<RehearsalChanges>
  /** The requests of the last comparison as a program. */
  copyScript(language: string): Promise<Script>
}

export function rehearsalClient(http: Http): RehearsalClient {
  const { get, post, remove } = explorer(http)
  return {
    rehearsal: (since, signal) => get('/rehearsal', { query: { since }, signal }),
    planCopy: () => post('/rehearsal/preview'),
    startCopy: () => post('/rehearsal/copy'),
    stopCopy: () => post('/rehearsal/stop'),
    copyReport: () => get('/rehearsal/report'),
    openCopy: () => post('/rehearsal/open'),
    deleteCopy: () => remove('/rehearsal'),
    compareCopy: (offline) => post('/rehearsal/diff', { body: { offline } }),
    copyScript: (language) => post('/rehearsal/script', { body: { language } }),
  }
}
