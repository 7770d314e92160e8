import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { Language, Parser, type Node } from 'web-tree-sitter'

const files = new URL('../../../app/snippet/testdata/', import.meta.url)
const require = createRequire(import.meta.url)

function wrongs(node: Node): string[] {
  const own =
    node.isError || node.isMissing
      ? [`${node.type} in line ${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`]
      : []
  return [...own, ...node.children.flatMap((c) => (c ? wrongs(c) : []))]
}

test('every generated PowerShell snippet, script and docs example parses', async () => {
  await Parser.init()
  const parser = new Parser()
  parser.setLanguage(
    await Language.load(await readFile(require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm'))),
  )
  const names = (await readdir(files)).filter((n) => n.endsWith('.ps1'))
  expect(names.sort()).toEqual(['found.ps1', 'nasty.ps1', 'pages.ps1', 'script.ps1', 'snippet.ps1'])
  for (const name of names)
    expect([name, wrongs(parser.parse(await readFile(new URL(name, files), 'utf8'))!.rootNode)]).toEqual([name, []])
  const page = await readFile(new URL('../../../build/docs/tokens.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/^```powershell\n(.*?)^```$/gms)]
  expect(shown.flatMap(([, example]) => wrongs(parser.parse(example)!.rootNode))).toEqual([])
  expect(shown).toHaveLength(1)
  expect(wrongs(parser.parse("Send-Step 'it's'")!.rootNode)).not.toEqual([]) // the parser does find errors
})
