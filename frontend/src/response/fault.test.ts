import { expect, test } from 'vitest'
import { Fault } from '../client'
import { explain } from './fault'

test('a fault says what failed and whether anything was sent', () => {
  for (const [fault, title, sent] of [
    [new Fault('no variable "a"', 400, { unknown: ['a'] }), '{{a}} is not set', 'Nothing was sent.'],
    [new Fault('no variable "a"', 400, { unknown: ['a', 'b'] }), '2 variables are not set', 'Nothing was sent.'],
    [
      new Fault('connection refused at 127.0.0.1:1', 502, { failure: 'unreached' }),
      'Could not reach Demo',
      'Nothing was sent.',
    ],
    [
      new Fault('the connection was closed', 502),
      'Could not reach Demo',
      'The request may have been sent. No response arrived.',
    ],
    [
      new Fault('the response from a.example broke off after 7 bytes', 502, { failure: 'incomplete' }),
      'The response from Demo is incomplete',
      'The request was sent. The portal may have processed it.',
    ],
    [
      new Fault('a.example answered 200 OK and then stalled: 7 bytes came, and nothing more for 3 seconds', 502, {
        failure: 'stalled',
      }),
      'The response from Demo is incomplete',
      'The request was sent. The portal may have processed it. The response is not shown because it is incomplete.',
    ],
    [
      new Fault('a.example did not respond in HTTP: malformed HTTP response "SSH-2.0"', 502, {
        failure: 'unreadable',
      }),
      'The response from Demo cannot be read',
      'The request was sent. The portal may have processed it.',
    ],
    [
      new Fault('a.example did not respond within 3 seconds', 502, { failure: 'timed_out' }),
      'Demo did not respond in time',
      'The request may have been sent. The portal may still process it.',
    ],
    [
      new Fault('the portal redirects in a loop: more than 10 times', 502, { failure: 'redirects' }),
      'Too many redirects from Demo',
      'The request was sent. The portal returned only redirects.',
    ],
    [new Fault('too many sign-ins at Demo', 429, {}, false, 1800), 'Too many requests', 'Try again in 30 min.'],
    [new Fault('this takes longer than 2 seconds', 503, {}, false, 2), 'Demo is busy', 'Try again in 2 s.'],
    [new Fault('the portal is starting', 503), 'Demo is busy', 'Try again in a moment.'],
    [
      new Fault('no answer in 60 s', 504),
      'Demo did not respond in time',
      'The request was sent. The portal may still process it.',
    ],
    [
      new Fault('the disk is full; nothing was written', 507),
      'The disk is full',
      'Free up space on the disk with the data folder, then try again. Your edits are kept.',
    ],
    [
      new Fault('the disk is full; the response was not stored', 507, { failure: 'unstored' }),
      'The disk is full',
      'The request was sent. Demo may have processed it. Free up space on the disk with the data folder, then try again.',
    ],
    [new Fault('Cancelled', 0, {}, true), 'Cancelled', 'The request may already have reached the portal.'],
    [new Fault('no answer', 0), 'Spyglass is not responding', 'Nothing was sent. Your edits are kept.'],
    [new Fault('{id} has no value', 400), 'The request is incomplete', 'Nothing was sent.'],
    [
      new Fault('the length is counted when the request is sent', 400),
      'The request is incomplete',
      'Nothing was sent.',
    ],
  ] as const)
    expect([explain(fault, 'Demo').title, explain(fault, 'Demo').sent]).toEqual([title, sent])
})
