import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml } from '#core/escape-html.ts';
import { highlight } from './highlight.ts';

/** A part of a page that search can lead to. */
export interface Section {
  heading: string;
  /** Empty for what is before the first heading. */
  anchor: string;
  level: number;
  text: string;
}

interface Rendered {
  title: string;
  description: string;
  /** What is below the title. */
  html: string;
  sections: Section[];
}

/** Text that we wrote ourselves, so HTML in it is taken as it is. Its first line is the title. */
export function renderMarkdown(source: string): Rendered {
  const anchors = new Map<Token, string>();
  const marked = new Marked<string, string>({ renderer: rendererOf(anchors) });
  const [first, ...tokens] = marked.lexer(source).filter(({ type }) => type !== 'space');
  if (first?.type !== 'heading') throw new Error('A guide begins with its title');
  const description = tokens.find(({ type }) => type === 'paragraph');
  const sections: Section[] = [{ heading: '', anchor: '', level: 1, text: '' }];
  const taken = new Set<string>();
  for (const token of tokens) {
    const text = plainText(token).replaceAll(/\s+/g, ' ');
    if (token.type === 'heading') {
      const anchor = toAnchor(text, taken);
      anchors.set(token, anchor);
      sections.push({ heading: text, anchor, level: token.depth, text: '' });
    } else {
      // Code is for copying; what it does is said beside it.
      const section = sections.at(-1) as Section;
      if (token.type !== 'code') section.text = `${section.text} ${text}`.trim();
    }
  }
  return {
    title: plainText(first),
    description: description ? plainText(description).replaceAll('\n', ' ') : '',
    html: marked.parser(tokens),
    sections,
  };
}

function toAnchor(heading: string, taken: Set<string>): string {
  const base = heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  let anchor = base;
  for (let number = 2; taken.has(anchor); number++) anchor = `${base}-${number}`;
  taken.add(anchor);
  return anchor;
}

function plainText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((row) => row.map(({ tokens }) => tokens.map(plainText).join(''))).join(' ');
  }
  if (token.type === 'list') return (token as Tokens.List).items.map(plainText).join(' ');
  if (token.type === 'html' || token.type === 'space') return '';
  if ('tokens' in token && token.tokens) return token.tokens.map(plainText).join(token.type === 'list_item' ? ' ' : '');
  return 'text' in token ? unescapeHtml(token.text) : '';
}

/** The lexer writes some characters of plain text as entities. */
function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function rendererOf(anchors: Map<Token, string>): RendererObject<string, string> {
  return {
    heading(token) {
      const inner = this.parser.parseInline(token.tokens);
      const anchor = anchors.get(token);
      return `<h${token.depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${token.depth}>\n`;
    },
    code({ text, lang = '' }) {
      return codeBlock(text, lang);
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const isOutside = /^https?:/.test(href);
      return `<a href="${escapeHtml(toAddress(href))}"${isOutside ? ' rel="noreferrer"' : ''}>${inner}</a>`;
    },
    // Wide ones scroll by themselves, also with the keyboard.
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[], name: string) =>
        `<tr>${cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('')}</tr>`;
      const body = rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="table" tabindex="0"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
    blockquote({ tokens }) {
      return `<aside class="note">${this.parser.parse(tokens)}</aside>\n`;
    },
  };
}

/** Guides name each other by their files, so that they can be read where they lie too. */
function toAddress(href: string): string {
  return href.replace(/^(?:\.\/)?([a-z-]+)\.md(?=#|$)/, '/docs/$1');
}

/** The first word after the fence is the language, and `output` that this is what the block before answers. */
export function codeBlock(text: string, info: string): string {
  const [language = '', ...more] = info.split(' ');
  const label = more.includes('output') ? 'Answer' : LANGUAGES[language];
  const copy = more.includes('output') ? '' : '<button type="button" class="copy" hidden>Copy</button>';
  return (
    `<figure class="code">${label ? `<figcaption>${label}</figcaption>` : ''}${copy}` +
    `<pre tabindex="0"><code>${highlight(text, language)}</code></pre></figure>\n`
  );
}

const LANGUAGES: Record<string, string> = {
  sh: 'Shell',
  console: 'Terminal',
  ts: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  http: 'HTTP',
  nginx: 'nginx',
  ini: 'systemd',
};
