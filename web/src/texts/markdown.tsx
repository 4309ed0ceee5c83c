import { marked, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';

/**
 * Markdown as people write it to each other. It becomes elements and never markup: HTML in it is shown as it was typed, a picture is a link (nothing
 * is loaded because somebody wrote a message), and links lead to the web or to a mailbox alone.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="grid min-w-0 grid-cols-1 gap-2.5 break-words leading-relaxed">
      {blocks(marked.lexer(text, { gfm: true, breaks: true }))}
    </div>
  );
}

// biome-ignore lint/suspicious/noArrayIndexKey: a message that was sent stays as it is
const keyed = (nodes: ReactNode[]) => nodes.map((node, at) => <Fragment key={at}>{node}</Fragment>);

const blocks = (tokens: readonly Token[] = []): ReactNode => keyed(tokens.map(block));

function block(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <p className="font-semibold">{inline(token.tokens)}</p>;
    case 'code':
      return <Raw text={token.text} />;
    case 'blockquote':
      return (
        <blockquote className="grid grid-cols-1 gap-2 border-line-strong border-l-2 pl-3 text-muted">
          {blocks(token.tokens)}
        </blockquote>
      );
    case 'hr':
      return <hr className="border-line" />;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Raw text={token.raw.trimEnd()} />;
    case 'paragraph':
      return <p className="whitespace-pre-wrap">{inline(token.tokens)}</p>;
    case 'checkbox':
      return token.raw;
    case 'text':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : token.raw;
    default:
      return <p className="whitespace-pre-wrap">{token.raw.trimEnd()}</p>;
  }
}

/** As it was typed; what is wider than the message scrolls, for the keyboard too. */
function Raw({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <pre tabIndex={0} className="overflow-x-auto rounded-lg bg-raised p-3 font-mono text-xs">
      {text}
    </pre>
  );
}

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <li key={at} className="space-y-1">
      {blocks(item.tokens)}
    </li>
  ));
  return list.ordered ? (
    <ol start={Number(list.start) || 1} className="grid grid-cols-1 list-decimal gap-1 pl-5">
      {items}
    </ol>
  ) : (
    <ul className="grid grid-cols-1 list-disc gap-1 pl-5">{items}</ul>
  );
}

const inline = (tokens: readonly Token[] = []): ReactNode => <span>{keyed(tokens.map(piece))}</span>;

function piece(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong className="font-semibold">{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'del':
      return <del>{inline(token.tokens)}</del>;
    case 'codespan':
      return <code className="rounded bg-raised px-1 font-mono text-xs">{plain(token.text)}</code>;
    case 'br':
      return '\n';
    case 'link':
      return <Way href={token.href}>{inline(token.tokens)}</Way>;
    case 'image':
      return <Way href={token.href}>{token.text || token.href}</Way>;
    case 'text':
    case 'escape':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : plain(token.text);
    default:
      return token.raw;
  }
}

/** The lexer has some signs as HTML would need them; React writes them itself. */
const SIGNS: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const plain = (text: string) => text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (sign) => SIGNS[sign] ?? sign);

function Way({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return children;
  return (
    <a href={href} target="_blank" rel="noreferrer nofollow ugc" className="rounded underline underline-offset-4">
      {children}
    </a>
  );
}
