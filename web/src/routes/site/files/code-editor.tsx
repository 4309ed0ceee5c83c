import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { css } from '@codemirror/lang-css';
import { html } from '@codemirror/lang-html';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { php } from '@codemirror/lang-php';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Text } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';

/** Colours are the dashboard's own variables, so the theme changes by itself. */
const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--fg)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.6', height: '65vh', minHeight: '16rem' },
  '.cm-content': { caretColor: 'var(--fg)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--raised)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-selectionMatch': { backgroundColor: 'var(--accent-soft)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-soft)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--warn)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--fg)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { fontSize: '0.8125rem', fontFamily: 'var(--font-sans)', padding: '0.5rem' },
  '.cm-panel.cm-search label': { fontSize: '0.8125rem' },
  '.cm-textfield, .cm-button': { fontSize: '0.8125rem', borderRadius: '0.375rem' },
  '.cm-textfield': { backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--fg)', fontSize: '1.25rem', width: '1.5rem' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.tagName, tags.processingInstruction], color: 'var(--accent-text)' },
  { tag: [tags.string, tags.attributeValue, tags.regexp], color: 'var(--warn-text)' },
  { tag: [tags.number, tags.bool, tags.atom, tags.null, tags.color, tags.unit], color: 'var(--danger-text)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.className, tags.function(tags.variableName), tags.definition(tags.variableName)], fontWeight: '600' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--accent-text)' },
  { tag: tags.invalid, color: 'var(--danger-text)', textDecoration: 'underline' },
]);

const languages: Record<string, () => Extension> = {
  php,
  css,
  scss: css,
  less: css,
  js: javascript,
  mjs: javascript,
  cjs: javascript,
  jsx: () => javascript({ jsx: true }),
  ts: () => javascript({ typescript: true }),
  tsx: () => javascript({ jsx: true, typescript: true }),
  html,
  htm: html,
  svg: html,
  xml: html,
  json,
};

export type EditorHandle = {
  text: () => string;
  /** What is there now is what is saved. */
  markSaved: () => void;
  /** Something else is there, as if somebody had typed it. */
  replace: (content: string) => void;
};

type CodeEditorProps = {
  name: string;
  content: string;
  line: number | undefined;
  isFixed: boolean;
  onDirty: (isDirty: boolean) => void;
  onSave: () => void;
  ref: Ref<EditorHandle>;
};

/** The editor keeps the text to itself until somebody asks for it. Every byte that is not edited stays what it was. */
export function CodeEditor({ name, content, line, isFixed, onDirty, onSave, ref }: CodeEditorProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const saved = useRef<Text>(null);
  const calls = useRef({ onDirty, onSave });
  calls.current = { onDirty, onSave };

  // Another file, or the same one read anew, is another editor (`key`).
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it begins with, and no more.
  useEffect(() => {
    if (!box.current) return;
    const save = () => {
      calls.current.onSave();
      return true;
    };
    const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    const state = EditorState.create({
      doc: content,
      extensions: [
        // A file ends its lines in one way, and what looks like another one inside a line is left alone.
        EditorState.lineSeparator.of(content.includes('\r\n') ? '\r\n' : '\n'),
        indentUnit.of(/^\t/m.test(content) ? '\t' : /^ {2}\S/m.test(content) ? '  ' : '    '),
        lineNumbers(),
        highlightSpecialChars(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        history(),
        indentOnInput(),
        bracketMatching(),
        search({ top: true }),
        syntaxHighlighting(colours),
        languages[extension]?.() ?? [],
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': `Content of ${name}`,
          'aria-description': 'Escape and then Tab leaves the editor.',
          tabindex: '0',
        }),
        isFixed ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: save },
          indentWithTab,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) calls.current.onDirty(!(saved.current && update.state.doc.eq(saved.current)));
        }),
      ],
    });
    saved.current = state.doc;
    const made = new EditorView({ parent: box.current, state });
    view.current = made;
    const at = line === undefined ? undefined : state.doc.line(Math.min(line, state.doc.lines));
    if (at)
      made.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: 'center' }) });
    return () => made.destroy();
  }, []);

  useImperativeHandle(
    ref,
    () => ({
      text: () => view.current?.state.sliceDoc() ?? content,
      markSaved: () => {
        saved.current = view.current?.state.doc ?? null;
        calls.current.onDirty(false);
      },
      replace: (next) => {
        const made = view.current;
        made?.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: made.state.toText(next) } });
      },
    }),
    [content],
  );

  return <div ref={box} className="overflow-hidden" />;
}
