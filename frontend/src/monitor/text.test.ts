import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'svelte/compiler'
import { expect, test } from 'vitest'

/** The screens that have all their text in a text.ts beside them. */
const screens = ['alerts', 'demo', 'overview']

const read = new Set(['title', 'text', 'action', 'label', 'of', 'placeholder', 'aria-label', 'aria-valuetext', 'alt'])
const words = /\p{L}{2}/u

type Node = { type?: string; name?: string; data?: string; value?: unknown; [key: string]: unknown }

/** What of a markup is read by people and stands in the markup itself. */
function own(node: unknown, shown: boolean): string[] {
  if (Array.isArray(node)) return node.flatMap((n) => own(n, shown))
  if (!node || typeof node !== 'object') return []
  const n = node as Node
  if (n.type === 'Text') return shown && words.test(n.data ?? '') ? [n.data!.trim()] : []
  if (n.type === 'Attribute') return read.has(n.name ?? '') ? own(n.value, true) : []
  if (n.type === 'ExpressionTag') return shown ? literals(n.expression) : []
  if (n.type === 'RegularElement' && n.name === 'path') return []
  return Object.entries(n).flatMap(([key, value]) => (key === 'fragment' || key === 'nodes' || /^(body|consequent|alternate|fallback|pending|then|catch|attributes)$/.test(key) ? own(value, key === 'attributes' ? false : true) : []))
}

/** The texts that an expression can come to: not what it compares, nor what it passes on. */
function literals(node: unknown): string[] {
  const n = node as Node
  if (n.type === 'Literal') return typeof n.value === 'string' && words.test(n.value) ? [n.value] : []
  if (n.type === 'TemplateLiteral') return (n.quasis as { value: { raw: string } }[]).map((q) => q.value.raw).filter((t) => words.test(t))
  if (n.type === 'ConditionalExpression') return [...literals(n.consequent), ...literals(n.alternate)]
  return n.type === 'LogicalExpression' ? [...literals(n.left), ...literals(n.right)] : []
}

test('the text of these screens is in one place each', async () => {
  const left: string[] = []
  for (const screen of screens) {
    const folder = new URL(`./${screen}/`, import.meta.url)
    for (const file of (await readdir(folder)).filter((f) => f.endsWith('.svelte'))) {
      const { fragment } = parse(await readFile(new URL(file, folder), 'utf8'), { modern: true })
      left.push(...own(fragment, true).map((text) => `${screen}/${file}: ${text}`))
    }
  }
  expect(left).toEqual([])
  const { fragment } = parse('<b title="Two words">One{a ? "Three" : \'b\'}</b>{#if x}<Empty text={b || `four ${c}`} icon="five" />{/if}', { modern: true })
  expect(own(fragment, true)).toEqual(['Two words', 'One', 'Three', 'four '])
})
