/** The text of links, which loads with them. */
export const text = {
  linked: 'A link opened this request. Review it before you send it.',
  gone: 'The response is not in your history. Send the request to get a new one.',
  notKept: 'The response was not stored. Send the request to get a new one.',
  comparedGone: 'The compared responses are not in your history.',
  linkCopied: 'Link copied.',
  linkCopiedWithout: (parts: string) => `Link copied, without ${parts}.`,
} as const
