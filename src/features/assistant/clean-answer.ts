import { maskText } from '#core/mask-secrets.ts';

const DOCS = String.raw`\/docs(?:\/[\w-]+)*\/?(?:#[\w.-]+)?`;
const OWN = new RegExp(`^${DOCS}$`);
/** What would be read as a link by whoever shows it, and leads elsewhere. */
const LINK = new RegExp(String.raw`\]\((?!${DOCS}\))`, 'g');

/**
 * An answer as it may be shown: without what looks like a secret, without pictures, and with links to the docs alone. A link or a
 * picture elsewhere would carry what it is asked for in its address, and one to another page of ours could do something there; whoever
 * reads the words of it loses nothing. What is taken out goes first, so that nothing comes together by that.
 */
export function cleanAnswer(text: string, baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  const isOwn = (target: string) => OWN.test(target.startsWith(`${origin}/`) ? target.slice(origin.length) : target);
  const bare = text
    .replaceAll(/<[^>]*>?/g, '')
    .replaceAll(/!\[([^\][]*)\]\([^()]*\)?/g, '$1')
    .replaceAll(/\[([^\][]*)\]\(([^()]*)\)/g, (whole, words: string, target: string) =>
      isOwn(target.trim()) ? whole : words,
    )
    .replaceAll(/\b(?:https?|ftp|wss?|data|javascript):[^\s<>()[\]]*/gi, (target) =>
      isOwn(target) ? target : '(an address elsewhere)',
    );
  return maskText(bare).replaceAll(LINK, '] (');
}

/** Of what is still being written: nothing that may yet turn out to be the beginning of a link, or of a secret. */
export function finishedPart(text: string): string {
  const open = Math.max(text.lastIndexOf('['), text.lastIndexOf('<'));
  const isOpen = open >= 0 && !/[\])>]/.test(text.slice(open + 1));
  const end = isOpen ? open : text.search(/(?<!\S)\S*$/);
  return text.slice(0, end);
}
