/** Lists of two portals, and the creation of missing objects in one of them. Loads with the compare dialog. */
import type { Http } from './call'
import type { Ran } from './collections'
import { explorer, type BodyOf, type Schemas } from './explorer'

/** A list compared with that of another portal. */
export type Lists = Schemas['Compared']
/** One object of the lists. */
export type ListRow = Lists['rows'][number]
export type ListsRequest = BodyOf<'/lists/compare', 'post'>
export type ListCreation = BodyOf<'/lists/create', 'post'>

export interface AcrossClient {
  compareLists(request: ListsRequest, signal: AbortSignal): Promise<Lists>
  /** Creates objects until it is aborted; each result also arrives as an event of a batch. */
  createListed(request: ListCreation, signal: AbortSignal): Promise<{ results: Ran[] }>
}

export function acrossClient(http: Http): AcrossClient {
  const { post } = explorer(http)
  return {
    compareLists: (body, signal) => post('/lists/compare', { body, signal }),
    createListed: (body, signal) => post('/lists/create', { body, signal }),
  }
}
