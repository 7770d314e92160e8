import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'svelte/compiler'
import { expect, test } from 'vitest'

/** Folders (without subfolders) and files whose whole text is in a text.ts, one per line. */
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

/** Attributes and properties with text for users. */
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
/** Functions with text for users as arguments. */
const calls = new Set(['write', 'copy', 'Fault'])
/** Matches two letters in a row, except in API paths and in names in capitals such as DELETE. */
const words = /^(?!\/[\w/{}]*$|[A-Z]+$).*\p{L}{2}/su

type Node = { type?: string; name?: string; data?: string; value?: unknown; [key: string]: unknown }

/** Returns the texts for users that a markup or a script contains. */
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
      return (n.properties as Node[]).flatMap((p) => (isApiField(n) && nameOf(p.key ?? p) === 'text' ? [] : own(p)))
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
const isApiField = (n: Node) => (n.properties as Node[]).some((p) => p.key && nameOf(p.key) === 'path')
/** Reports whether a call shows a text; `write('PATCH', …)` calls the API. */
const tells = (n: Node) =>
  (calls.has(nameOf((n.callee as Node).property ?? n.callee)) || shows(n.callee as Node)) &&
  !(n.arguments as Node[])
    .slice(0, 1)
    .flatMap(literals)
    .some((t) => /^[A-Z]+$/.test(t))
/** Reports whether it is `toasts.show`, on any object. */
const shows = ({ property, object }: Node) =>
  property !== undefined && nameOf(property) === 'show' && nameOf((object as Node).property ?? object) === 'toasts'
const nameOf = (key: unknown) => String((key as Node).name ?? (key as Node).value)

/** Returns the possible texts of an expression, without texts in comparisons and arguments. */
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
