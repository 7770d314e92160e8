/** The JSON editor: CodeMirror, loaded on first use. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { linter, lintKeymap, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { Decoration, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, MatchDecorator, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Schema } from '../client'
import { hint, schemaAt } from '../catalog/schema'
import { parse } from './json'

export interface Editor {
  /** Shows the text unless it is what the editor has already. */
  setText(text: string): void
  goto(at: number): void
  destroy(): void
}

export interface EditorOptions {
  onchange(text: string): void
  schema(): Schema | undefined
}

export function openEditor(parent: HTMLElement, text: string, options: EditorOptions): Editor {
  const own = new Compartment()
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: text, extensions: [own.of(extensions(options))] }),
  })
  return {
    setText(next) {
      if (view.state.doc.toString() === next) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    goto(at) {
      const anchor = Math.min(at, view.state.doc.length)
      view.dispatch({ selection: { anchor }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

function extensions(options: EditorOptions): Extension[] {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    lineNumbers(), foldGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
    highlightSelectionMatches(), json(), syntaxHighlighting(colours), variables, EditorView.lineWrapping,
    linter((view) => problems(view.state.doc.toString()), { delay: 200 }),
    autocompletion({ override: [(context) => complete(context, options.schema())] }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap.filter((k) => k.key !== 'Mod-Enter'), ...historyKeymap, ...foldKeymap, ...searchKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ 'aria-label': 'Raw JSON body', spellcheck: 'false' }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    EditorView.updateListener.of((u) => {
      if (u.docChanged) options.onchange(u.state.doc.toString())
    }),
    theme,
  ]
}

/**
 * Typing over a selection, done here: left to the browser, it would keep the
 * old text's look by an inline style, which the content security policy refuses.
 */
function typeOver(e: InputEvent, view: EditorView): boolean {
  const { main, ranges } = view.state.selection
  const text = e.data
  if (e.inputType !== 'insertText' || e.isComposing || text === null || main.empty || ranges.length > 1) return false
  const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
  const handled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, main.from, main.to, text, insert))
  if (!handled) view.dispatch(insert())
  e.preventDefault()
  return true
}

function problems(text: string): Diagnostic[] {
  const { problem } = parse(text)
  if (!problem) return []
  const from = Math.min(problem.at, text.length)
  return [{ from, to: Math.min(from + 1, text.length), severity: 'error', message: problem.message }]
}

/** Field names and values of the endpoint's schema at the cursor. */
function complete(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  const word = context.matchBefore(/"?[\w.-]*/)
  if (!schema || !word || (word.from === word.to && !context.explicit)) return null
  const text = context.state.doc.toString()
  const path = pathAt(text, word.from)
  const before = text.slice(0, word.from).trimEnd()
  if (before.endsWith(':')) {
    const key = /"((?:[^"\\]|\\.)*)"\s*:$/.exec(before)?.[1] ?? ''
    const at = schemaAt(schema, [...path, key])
    const values = at?.enum ?? (at?.type === 'boolean' ? [true, false] : [])
    return values.length ? { from: word.from, options: values.map((v) => ({ label: JSON.stringify(v), type: 'constant' })) } : null
  }
  if (!/[{,]$/.test(before)) return null
  const object = schemaAt(schema, path)
  const names = object?.properties?.filter((p) => !p.readOnly) ?? []
  const closing = text[context.pos] === '"' ? 1 : 0
  return names.length
    ? { from: word.from, to: context.pos + closing, options: names.map((p) => ({ label: `"${p.name}"`, apply: `"${p.name}": `, detail: hint(p), info: p.doc, type: 'property' })) }
    : null
}

/** Keys and indexes around a place, found by counting brackets: the text need not be valid. */
function pathAt(text: string, at: number): (string | number)[] {
  const path: (string | number)[] = []
  const stack: { array: boolean; index: number; key: string }[] = []
  const token = /"(?:[^"\\\n]|\\.)*"(\s*:)?|[{}[\],]/g
  for (let m = token.exec(text); m && m.index < at; m = token.exec(text)) {
    const top = stack.at(-1)
    const t = m[0]
    if (t === '{' || t === '[') stack.push({ array: t === '[', index: 0, key: '' })
    else if (t === '}' || t === ']') stack.pop()
    else if (t === ',' && top) top.index++
    else if (m[1] && top) top.key = t.slice(1, t.lastIndexOf('"'))
  }
  stack.pop()
  for (const s of stack) path.push(s.array ? s.index : s.key)
  return path
}

const matcher = new MatchDecorator({ regexp: /\{\{[^{}]*\}\}/g, decoration: Decoration.mark({ class: 'cm-variable' }) })
const variables = ViewPlugin.fromClass(
  class {
    marks: DecorationSet
    constructor(view: EditorView) {
      this.marks = matcher.createDeco(view)
    }
    update(u: ViewUpdate) {
      this.marks = matcher.updateDeco(u, this.marks)
    }
  },
  { decorations: (v) => v.marks },
)

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--j-key)' },
  { tag: tags.string, color: 'var(--j-str)' },
  { tag: tags.number, color: 'var(--j-num)' },
  { tag: tags.bool, color: 'var(--j-bool)' },
  { tag: tags.null, color: 'var(--j-null)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.brace, tags.squareBracket, tags.separator], color: 'var(--j-punc)' },
])

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--bg-panel)', color: 'var(--text-1)', fontSize: 'var(--fs-12)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', lineHeight: '20px', scrollbarWidth: 'thin', scrollbarColor: 'var(--line-2) transparent' },
  '.cm-content': { padding: '4px 0', caretColor: 'var(--text-1)' },
  '.cm-cursor': { borderLeftColor: 'var(--text-1)' },
  '.cm-gutters': { backgroundColor: 'var(--bg-panel)', color: 'var(--text-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 6px 0 8px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--bg-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--accent-bg)' },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'var(--brass-bg)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--brass)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-bg)', outline: '1px solid var(--accent-line)' },
  '.cm-variable, .cm-variable *': { color: 'var(--var)', backgroundColor: 'var(--var-bg)', borderRadius: 'var(--r-tag)' },
  '.cm-tooltip, .cm-panels': { backgroundColor: 'var(--bg-pop)', color: 'var(--text-1)', border: '1px solid var(--line-2)', borderRadius: 'var(--r-ctl)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-bg)', color: 'var(--text-1)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-code)', fontSize: 'var(--fs-12)' },
  '.cm-completionDetail': { color: 'var(--text-3)', fontStyle: 'normal', fontFamily: 'var(--font-ui)' },
  '.cm-textfield, .cm-button': { backgroundColor: 'var(--bg-field)', backgroundImage: 'none', border: '1px solid var(--line-2)', borderRadius: 'var(--r-ctl)', fontSize: 'var(--fs-12)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--bg-field)', border: '1px solid var(--line-2)', color: 'var(--text-3)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--crit)' },
})

