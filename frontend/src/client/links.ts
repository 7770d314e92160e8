/** Links to views of the page. Go writes and parses them. */
import type { Http } from './call'
import { explorer, type Schemas } from './explorer'

/** The target of a link: a screen, an entry of the history, or a draft. */
export type LinkTarget = Schemas['LinkTo']

export interface LinksClient {
  linkTo(what: LinkTarget): Promise<Schemas['MadeLink']>
  /** Rejects with the reason if the text is no link. */
  readLink(link: string): Promise<Schemas['Target']>
}

export function linksClient(http: Http): LinksClient {
  const { post } = explorer(http)
  return {
    linkTo: (body) => post('/links', { body }),
    readLink: (link) => post('/links/open', { body: { link } }),
  }
}
