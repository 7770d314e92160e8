import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import type { Schema } from '../client'
import { complete } from './editor-schema'

const schema: Schema = {
  type: 'object',
  properties: [
    { name: 'id', type: 'integer', readOnly: true, doc: '' },
    { name: 'name', type: 'string', doc: '' },
    { name: 'displayName', type: 'string', doc: '' },
    { name: 'status', type: 'string', enum: ['on', 'off'], doc: '' },
    { name: 'muted', type: 'boolean', doc: '' },
  ],
}

/** Returns the text after each completion at the caret, which is | in `text`. */
function completed(text: string, explicit = false): string[] {
  const pos = text.indexOf('|')
  const doc = text.replace('|', '')
  const found = complete(new CompletionContext(EditorState.create({ doc }), pos, explicit), schema)
  return (found?.options ?? []).map(
    (o) => doc.slice(0, found!.from) + String(o.apply ?? o.label) + doc.slice(found!.to ?? pos),
  )
}

test.each<[string, string[]]>([
  ['{"|"}', ['{"name": ""}', '{"displayName": ""}', '{"status": "on"}', '{"muted": false}']],
  ['{"na|"}', ['{"name": ""}', '{"displayName": ""}']],
  ['{"name": "", "DIS|"}', ['{"name": "", "displayName": ""}']],
  ['{sta|}', ['{"status": "on"}']],
  ['{"status": "|"}', ['{"status": "on"}', '{"status": "off"}']],
  ['{"status": "of|"}', ['{"status": "off"}']],
  ['{"muted": t|}', ['{"muted": true}']],
  ['{"muted": |}', []],
  ['{"zz|"}', []],
  ['{"name": "|"}', []],
])('%s can become %j', (text, want) => {
  expect(completed(text)).toEqual(want)
})

test('all suggestions are offered for empty text on request', () => {
  expect(completed('{"muted": |}', true)).toEqual(['{"muted": true}', '{"muted": false}'])
})
