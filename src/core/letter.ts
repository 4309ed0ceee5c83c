import { escapeHtml } from './escape-html.ts';
import { LETTER_STYLE, MARK } from './letter-look.ts';

/**
 * What the platform writes to people. A letter is said once, in blocks, and becomes the two parts of a mail: plain text, and a page
 * with our look that needs no picture. Whatever somebody else wrote is escaped here and nowhere else.
 */
export interface Letter {
  subject: string;
  /** Undefined for whoever we know no name of, or must not call by one. */
  firstName?: string | undefined;
  blocks: readonly Block[];
  /** Under the line, such as why they get this and how to get it no more. */
  footer?: readonly Block[];
}

export type Block =
  /** A paragraph. */
  | string
  /** Where to go: a button, or a plain link where it is not what most people should do. */
  | { label: string; url: string; isQuiet?: true }
  /** What somebody else wrote, as they wrote it. */
  | { quote: string }
  /** Names and values, in two columns. */
  | { facts: readonly (readonly [string, string])[] };

export interface WrittenLetter {
  subject: string;
  text: string;
  html: string;
}

export function writeLetter(letter: Letter): WrittenLetter {
  const greeting = `Hello${letter.firstName ? ` ${letter.firstName}` : ''},`;
  const blocks: Block[] = [greeting, ...letter.blocks];
  const footer = letter.footer ?? [];
  const text = [...blocks.map(asText), ...(footer.length > 0 ? ['-- ', ...footer.map(asText)] : [])].join('\n\n');
  return { subject: letter.subject, text: `${text}\n`, html: asPage(letter, blocks, footer) };
}

/**
 * Keeps mail programs from turning text into links: inserts zero-width characters around each dot, colon, slash and at
 * sign within a word. The text looks the same.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll(/(?<=\S)[.:/@\u3002\uFF0E\uFF61](?=\S)/g, '\u200C$&\u200C');
}

/** An address stands on a line of its own, where every program finds its end. */
function asText(block: Block): string {
  if (typeof block === 'string') return block;
  if ('url' in block) return `${block.label}:\n\n${block.url}`;
  if ('quote' in block) return block.quote.replaceAll(/^/gm, '> ');
  return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
}

const FIRST_WORDS = 140;

function asPage({ subject, blocks }: Letter, body: readonly Block[], footer: readonly Block[]): string {
  // What a list of mails shows after the subject.
  const preview = blocks.find((block) => typeof block === 'string')?.slice(0, FIRST_WORDS) ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${LETTER_STYLE}</style>
</head>
<body class="page">
<div class="preview">${escapeHtml(preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td align="center" class="around">
<table role="presentation" class="letter" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td class="head">${MARK}</td></tr>
<tr><td class="card">
<h1>${escapeHtml(subject)}</h1>
${body.map(asHtml).join('\n')}
</td></tr>
<tr><td class="foot">
${footer.map(asHtml).join('\n')}
<p>Sent by Siteyard, because of your account or because somebody named this address.</p>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function asHtml(block: Block): string {
  if (typeof block === 'string') return `<p>${lines(block)}</p>`;
  if ('quote' in block) return `<blockquote>${lines(block.quote)}</blockquote>`;
  if ('facts' in block) {
    const rows = block.facts.map(
      ([name, value]) => `<tr><th align="left" scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
    );
    return `<table class="facts" width="100%" cellpadding="0" cellspacing="0" border="0">${rows.join('')}</table>`;
  }
  const [label, url] = [escapeHtml(block.label), escapeHtml(block.url)];
  if (block.isQuiet) return `<p><a href="${url}">${label}</a></p>`;
  // The address besides, for those whose program shows no links.
  return `<table role="presentation" class="action" cellpadding="0" cellspacing="0" border="0"><tr><td class="button"><a href="${url}">${label}</a></td></tr></table>
<p class="address">Or open <a href="${url}">${url}</a></p>`;
}

const lines = (text: string) => escapeHtml(text).replaceAll(/\r?\n/g, '<br>');
