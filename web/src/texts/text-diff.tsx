import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';

/** Colours are the dashboard's own variables, so the theme changes by itself. */
const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--fg)', fontSize: '0.75rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', maxHeight: '28rem', lineHeight: '1.6' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-changedLine': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-insertedLine': { backgroundColor: 'var(--accent-soft)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--danger-soft)', paddingLeft: '6px' },
  '.cm-deletedChunk .cm-deletedText, .cm-deletedText': { background: 'none', textDecoration: 'line-through' },
  '.cm-changedText': { background: 'none', fontWeight: '600' },
  '.cm-collapsedLines': { background: 'var(--raised)', color: 'var(--muted)' },
  // Its own marks are in few fonts.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
  '.cm-changedLineGutter, .cm-insertedLineGutter': { background: 'var(--accent)' },
  '.cm-deletedLineGutter': { background: 'var(--danger)' },
});

type TextDiffProps = {
  name: string;
  from: string;
  to: string;
  /** What the two are, as in "now" and "then". */
  words: { from: string; to: string };
};

/** Line by line: what goes is struck out, what comes stands below it. */
export function TextDiff({ name, from, to, words }: TextDiffProps) {
  const label = `${name}, ${words.from} and ${words.to}`;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: to,
        extensions: [
          lineNumbers(),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({
            tabindex: '0',
            'aria-label': label,
            'aria-readonly': 'true',
          }),
          theme,
          unifiedMergeView({
            original: from,
            mergeControls: false,
            collapseUnchanged: { margin: 3, minSize: 6 },
            // A very different pair costs at most this; then it is shown as one block.
            diffConfig: { scanLimit: 2000, timeout: 500 },
          }),
        ],
      }),
    });
    return () => view.destroy();
  }, [label, from, to]);
  return (
    <>
      <p className="mb-2 text-muted text-xs">
        <span className="text-danger-text line-through">Struck out</span> is {words.from},{' '}
        <span className="text-accent-text">green</span> is {words.to}.
      </p>
      <div ref={box} className="overflow-hidden rounded-lg border border-line" />
    </>
  );
}
