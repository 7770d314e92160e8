/** The JSON editor: CodeMirror, loaded on first use. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { diagnosticCount, forceLinting, lintGutter, linter, lintKeymap, nextDiagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, Transaction, type Extension } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { complete, completeVariables, diagnose, hovers, type Known } from './editor-schema'
import { text as words } from './text'

export interface Editor {
  /** The scrolling element. */
  readonly scroller: HTMLElement
  /** Sets the text if it differs. */
  setText(text: string): void
  /** Edits the text like typing would, so that the editor can undo it. */
  edit(text: string): void
  goto(at: number): void
  focus(): void
  /** Moves to the next problem. */
  next(): void
  /** Checks the text again after the schema or a variable has changed. */
  check(): void
  destroy(): void
}

export interface EditorOptions extends Known {
  onchange(text: string): void
  /** Called with the number of problems. */
  onfound(count: number): void
  /** Called when the editor has nothing more to undo or redo. */
  onundo(): boolean
  onredo(): boolean
}

export function openEditor(parent: HTMLElement, text: string, options: EditorOptions): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: text, extensions: extensions(options) }),
  })
  return {
    scroller: view.scrollDOM,
    setText(next) {
      if (view.state.doc.toString() === next) return
      // The request's undo has this edit, so the editor's skips it.
      view.dispatch({
        changes: difference(view.state.doc.toString(), next),
        annotations: Transaction.addToHistory.of(false),
      })
    },
    edit(next) {
      view.dispatch({ changes: difference(view.state.doc.toString(), next), userEvent: 'input' })
    },
    goto(at) {
      const anchor = Math.min(at, view.state.doc.length)
      view.dispatch({ selection: { anchor }, scrollIntoView: true })
      view.focus()
    },
    focus: () => view.focus(),
    next: () => void (nextDiagnostic(view), view.focus()),
    check: () => forceLinting(view),
    destroy: () => view.destroy(),
  }
}

/** Returns only the difference, so that the caret and folded ranges stay. */
function difference(now: string, next: string) {
  let from = 0
  while (from < now.length && now[from] === next[from]) from++
  let end = 0
  while (
    end < now.length - from &&
    end < next.length - from &&
    now[now.length - 1 - end] === next[next.length - 1 - end]
  )
    end++
  return { from, to: now.length - end, insert: next.slice(from, next.length - end) }
}

function extensions(options: EditorOptions): Extension[] {
  const further = [
    { key: 'Mod-z', run: () => options.onundo() },
    { key: 'Mod-y', run: () => options.onredo() },
    { key: 'Mod-Shift-z', run: () => options.onredo() },
  ]
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    lineNumbers(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    json(),
    syntaxHighlighting(colours),
    variables,
    EditorView.lineWrapping,
    linter((view) => diagnose(view.state.doc.toString(), options), { delay: 200 }),
    lintGutter(),
    hovers(options),
    autocompletion({
      override: [(context) => completeVariables(context, options) ?? complete(context, options.schema())],
    }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap.filter((k) => k.key !== 'Mod-Enter'),
      ...historyKeymap,
      ...further,
      ...foldKeymap,
      ...searchKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({ 'aria-label': words.editor.rawJsonBody, spellcheck: 'false' }),
    EditorView.domEventHandlers({ beforeinput: typeOver }),
    EditorView.updateListener.of((u) => {
      if (u.docChanged) options.onchange(u.state.doc.toString())
      options.onfound(diagnosticCount(u.state))
    }),
    theme,
  ]
}

/**
 * Replaces a selection by typing: the browser would keep the old text's style inline, which the content security policy
 * blocks.
 */
function typeOver(e: InputEvent, view: EditorView): boolean {
  const { main, ranges } = view.state.selection
  const text = e.data
  if (e.inputType !== 'insertText' || e.isComposing || text === null || main.empty || ranges.length > 1) return false
  const insert = () =>
    view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
  const handled = view.state
    .facet(EditorView.inputHandler)
    .some((handle) => handle(view, main.from, main.to, text, insert))
  if (!handled) view.dispatch(insert())
  e.preventDefault()
  return true
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
  '.cm-scroller': {
    fontFamily: 'var(--font-code)',
    lineHeight: '20px',
    scrollbarWidth: 'thin',
    scrollbarColor: 'var(--line-2) transparent',
  },
  '.cm-content': { padding: '4px 0', caretColor: 'var(--text-1)' },
  '.cm-cursor': { borderLeftColor: 'var(--text-1)' },
  '.cm-gutters': { backgroundColor: 'var(--bg-panel)', color: 'var(--text-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 6px 0 8px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--bg-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--accent-bg)',
  },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'var(--brass-bg)' },
  '.cm-searchMatch-selected': { outline: '1px solid var(--brass)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-bg)', outline: '1px solid var(--accent-line)' },
  '.cm-variable, .cm-variable *': {
    color: 'var(--var)',
    backgroundColor: 'var(--var-bg)',
    borderRadius: 'var(--r-tag)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--bg-pop)',
    color: 'var(--text-1)',
    border: '1px solid var(--line-2)',
    borderRadius: 'var(--r-ctl)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent-bg)', color: 'var(--text-1)' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-code)', fontSize: 'var(--fs-12)' },
  '.cm-completionDetail': { color: 'var(--text-3)', fontStyle: 'normal', fontFamily: 'var(--font-ui)' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--bg-field)',
    backgroundImage: 'none',
    border: '1px solid var(--line-2)',
    borderRadius: 'var(--r-ctl)',
    fontSize: 'var(--fs-12)',
  },
  '.cm-about': { maxWidth: '360px', padding: '6px 8px', font: 'var(--fs-12)/16px var(--font-ui)' },
  '.cm-about b': { fontFamily: 'var(--font-code)', marginRight: '8px' },
  '.cm-about p': { color: 'var(--text-2)' },
  '.cm-lintRange-warning, .cm-lintRange-info': {
    backgroundImage: 'none',
    textDecoration: 'underline dotted var(--warn)',
  },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--crit)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--bg-field)',
    border: '1px solid var(--line-2)',
    color: 'var(--text-3)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--crit)' },
})
