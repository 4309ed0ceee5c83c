import { Fragment, type ReactNode } from 'react';

/**
 * Text with a little markdown in it: paragraphs, lists, bold, code, and links to the docs. Nothing else of it counts, and no markup: it
 * may come from a model, or from whoever wrote to it.
 */
export function RichText({ text }: { text: string }) {
  return (
    <div className="grid min-w-0 gap-2.5 break-words leading-relaxed">
      {blocksOf(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text that grows keeps its blocks in place
        <Block key={at} block={block} />
      ))}
    </div>
  );
}

type TextBlock = { kind: 'text' | 'code' | 'list'; isOrdered?: boolean; lines: string[] };

function Block({ block }: { block: TextBlock }) {
  if (block.kind === 'code')
    return <pre className="overflow-x-auto rounded-lg bg-raised p-3 font-mono text-xs">{block.lines.join('\n')}</pre>;
  if (block.kind === 'text') return <p className="whitespace-pre-wrap">{inline(block.lines.join('\n'))}</p>;
  const items = block.lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <li key={at}>{inline(line)}</li>
  ));
  return block.isOrdered ? (
    <ol className="grid list-decimal gap-1 pl-5">{items}</ol>
  ) : (
    <ul className="grid list-disc gap-1 pl-5">{items}</ul>
  );
}

const ITEM = /^\s*(?:[-*]|(\d+)[.)])\s+(.*)$/;

function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let last: TextBlock | undefined;
  const begin = (block: TextBlock) => {
    last = block;
    blocks.push(block);
  };
  for (const line of text.split('\n')) {
    const item = ITEM.exec(line);
    if (line.startsWith('```')) {
      if (last?.kind === 'code') last = undefined;
      else begin({ kind: 'code', lines: [] });
    } else if (last?.kind === 'code') last.lines.push(line);
    else if (line.trim() === '') last = undefined;
    else if (last?.kind === (item ? 'list' : 'text')) last.lines.push(item?.[2] ?? line);
    else if (item) begin({ kind: 'list', isOrdered: item[1] !== undefined, lines: [item[2] ?? ''] });
    else begin({ kind: 'text', lines: [line.replace(/^#+\s+/, '')] });
  }
  return blocks;
}

/** A page of ours could do something when it is opened; the docs can not. */
const PIECE = /\*\*([^*]+)\*\*|`([^`]+)`|\[([^\][]+)\]\((\/docs(?:\/[\w-]+)*\/?(?:#[\w.-]+)?)\)/g;

function inline(text: string): ReactNode[] {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    pieces.push(text.slice(end, match.index), <Piece key={match.index} match={match} />);
    end = match.index + match[0].length;
  }
  pieces.push(text.slice(end));
  // biome-ignore lint/suspicious/noArrayIndexKey: see above
  return pieces.map((piece, at) => <Fragment key={at}>{piece}</Fragment>);
}

function Piece({ match: [, bold, code, words, target] }: { match: RegExpMatchArray }) {
  if (bold !== undefined) return <strong>{bold}</strong>;
  if (code !== undefined) return <code className="rounded bg-raised px-1 font-mono text-xs">{code}</code>;
  return (
    <a href={target} className="rounded underline underline-offset-4">
      {words}
    </a>
  );
}
