import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'svelte/compiler'
import { expect, test } from 'vitest'

/** Folders (without those inside them) and files that have all their text in a text.ts: one line each. */
const done = [
  'App.svelte',
  'AppMenu.svelte',
  'Frame.svelte',
  'StatusBar.svelte',
  'TopTools.svelte',
  'Later.svelte',
  'ToastArea.svelte',
  'catalog',
  'chart',
  'client',
  'collections',
  'collections/batch',
  'collections/script',
  'commands.ts',
  'monitor',
  'palette',
  'palette/sources',
  'portals',
  'portals/dialogs',
  'request',
  'response',
  'response/chart',
  'response/checks',
  'sending',
  'sidebar',
  'tabs',
  'monitor/alerts',
  'monitor/datasources',
  'monitor/demo',
  'monitor/device',
  'monitor/fleet',
  'monitor/form',
  'monitor/list',
  'monitor/map',
  'monitor/overview',
  'monitor/reports',
  'monitor/settings',
  'settings',
  'signin',
  'state',
  'state/catalog',
  'state/collections',
  'state/monitor',
  'state/portals',
  'state/request',
  'state/response',
  'state/sending',
  'state/tabs',
  'ui',
  'variables',
  'welcome',
]

/** Attributes and properties that people read. */
const read = new Set([
  'title',
  'text',
  'action',
  'label',
  'of',
  'placeholder',
  'aria-label',
  'aria-valuetext',
  'aria-description',
  'alt',
  'hint',
  'empty',
  'word',
  'unit',
  'keep',
  'act',
  'one',
  'many',
  'about',
  'note',
  'saveLabel',
  'none',
])
/** Functions whose words people read. */
const said = new Set(['write', 'copy', 'Fault'])
/** At least two letters in a row; no path of the API, and no name in capitals, as DELETE. */
const words = /^(?!\/[\w/{}]*$|[A-Z]+$).*\p{L}{2}/su

type Node = { type?: string; name?: string; data?: string; value?: unknown; [key: string]: unknown }

/** What of a markup or a script is read by people and stands there itself. */
function own(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(own)
  if (!node || typeof node !== 'object') return []
  const n = node as Node
  switch (n.type) {
    case 'Text':
      return words.test(n.data ?? '') ? [n.data!.trim()] : []
    case 'Attribute':
    case 'StyleDirective':
      return read.has(n.name!) ? own(n.value) : [n.value].flat().flatMap((part) => own((part as Node).expression))
    case 'ExpressionTag':
      return [...literals(n.expression), ...own(n.expression)]
    case 'RegularElement':
      return n.name === 'code' || n.name === 'tspan' ? own(n.attributes) : [...own(n.attributes), ...own(n.fragment)]
    case 'ObjectExpression':
      return (n.properties as Node[]).flatMap((p) => (asksPortal(n) && nameOf(p.key ?? p) === 'text' ? [] : own(p)))
    case 'Property':
      return [...(read.has(nameOf(n.key)) ? literals(n.value) : []), ...own(n.value)]
    case 'CallExpression':
    case 'NewExpression':
      return [...(tells(n) ? (n.arguments as Node[]).flatMap(literals) : []), ...own(n.callee), ...own(n.arguments)]
    case 'SvelteOptions':
    case 'Comment':
    case 'StyleSheet':
      return []
  }
  return Object.values(n).flatMap(own)
}

/** `{ path, value, text }`: names of fields of the API. */
const asksPortal = (n: Node) => (n.properties as Node[]).some((p) => p.key && nameOf(p.key) === 'path')
/** A call that says something; `write('PATCH', …)` is one of the API. */
const tells = (n: Node) =>
  (said.has(nameOf((n.callee as Node).property ?? n.callee)) || shows(n.callee as Node)) &&
  !(n.arguments as Node[])
    .slice(0, 1)
    .flatMap(literals)
    .some((t) => /^[A-Z]+$/.test(t))
/** `toasts.show`, of whatever has the toasts. */
const shows = ({ property, object }: Node) =>
  property !== undefined && nameOf(property) === 'show' && nameOf((object as Node).property ?? object) === 'toasts'
const nameOf = (key: unknown) => String((key as Node).name ?? (key as Node).value)

/** The texts that an expression can come to: not what it compares, nor what it passes on. */
function literals(node: unknown): string[] {
  const n = node as Node
  if (n.type === 'Literal') return typeof n.value === 'string' && words.test(n.value) ? [n.value] : []
  if (n.type === 'TemplateLiteral')
    return (n.quasis as { value: { raw: string } }[]).map((q) => q.value.raw).filter((t) => words.test(t))
  if (n.type === 'ConditionalExpression') return [...literals(n.consequent), ...literals(n.alternate)]
  if (n.type === 'ArrowFunctionExpression') return literals(n.body)
  return n.type === 'LogicalExpression' || (n.type === 'BinaryExpression' && n.operator === '+')
    ? [...literals(n.left), ...literals(n.right)]
    : []
}

function textOf(source: string): string[] {
  const { fragment, instance, module } = parse(source, { modern: true })
  return [...new Set([fragment, instance?.content, module?.content].flatMap(own))]
}
const script = (source: string) => textOf(`<script lang="ts">${source}</script>`)

async function files(place: string): Promise<string[]> {
  if (/\.\w+$/.test(place)) return [place]
  const all = await readdir(new URL(`./${place}/`, import.meta.url))
  return all
    .filter((f) => /\.(svelte|ts)$/.test(f) && !/(^|-)text\.ts$|\.test\.ts$/.test(f))
    .map((f) => `${place}/${f}`)
}

test.each(done)(
  'the text of %s stands in its text.ts',
  async (place) => {
    const left: string[] = []
    for (const file of await files(place)) {
      const source = await readFile(new URL(file, import.meta.url), 'utf8')
      left.push(...(file.endsWith('.ts') ? script(source) : textOf(source)).map((text) => `${file}: ${text}`))
    }
    expect(left).toEqual([])
  },
  60_000,
)

test('texts in markup and scripts are found', () => {
  expect(
    textOf(
      '<b title="Two words" class="three">One{a ? "Four" : \'b\'}</b>{#if x}<Empty text={b || `five ${c}`} icon="six" onaction={() => app.toasts.show("Seven")} />{/if}',
    ),
  ).toEqual(['Two words', 'One', 'Four', 'five ', 'Seven'])
  expect(
    script(
      'const a: Kind = { label: "Eight", name: "nine", cell: (r) => ({ text: r.on ? "Ten" : String(r.n) }), goes }; throw new Fault(`Eleven ${a}`); write("PUT", `/some/${a}`); choices({ path: "/users", text: "name" })',
    ),
  ).toEqual(['Eight', 'Ten', 'Eleven '])
})
