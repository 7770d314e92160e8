/** Watches: a GET that Go sends again and again, and its recording. Loaded when the first watch begins. */
import type { Http } from './call'
import { explorer, type BodyOf, type Schemas } from './explorer'

/** A watch has a new sample, or waits. */
export type WatchEvent = Schemas['WatchEvent']
/** One response of a watch, with the numbers in it. */
export type WatchSample = Schemas['Sample']
export type WatchRequest = BodyOf<'/watches', 'post'>

export interface WatchClient {
  /** Watches until it ends by itself or is aborted; resolves with the reason. */
  watch(request: WatchRequest, signal: AbortSignal): Promise<Schemas['Ended']>
  /** Returns the samples and paths of a watch from these on, and its last response. */
  watched(watchId: string, from: number, path: number): Promise<Schemas['News']>
  /** The address of the recording of a watch. */
  watchFileUrl(watchId: string, format: 'csv' | 'json'): string
}

export function watchClient(http: Http): WatchClient {
  const { get, post, url } = explorer(http)
  return {
    watch: (body, signal) => post('/watches', { body, signal }),
    watched: (watchId, from, path) => get('/watches/{watchId}', { params: { watchId }, query: { from, path } }),
    watchFileUrl: (watchId, format) => url('/watches/{watchId}/file', { params: { watchId }, query: { format } }),
  }
}
