import { maskText } from '#core/mask-secrets.ts';

/**
 * An answer as it may be shown: without what looks like a secret, without pictures, and with links to our own pages alone. A link or a
 * picture elsewhere would carry what it is asked for in its address; whoever reads the words of it loses nothing.
 */
export function cleanAnswer(text: string, baseUrl: string): string {
  const { origin } = new URL(baseUrl);
  const isOwn = (target: string) => {
    const url = URL.parse(target, baseUrl);
    return url !== null && url.origin === origin && url.search === '' && !/[\\\s]/.test(target);
  };
  return maskText(text)
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)?/g, '$1')
    .replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, (whole, words: string, target: string) =>
      isOwn(target.trim()) ? whole : words,
    )
    .replaceAll(/\b(?:https?|ftp|wss?|data|javascript):[^\s<>()[\]]*/gi, (target) =>
      isOwn(target) ? target : '(an address elsewhere)',
    )
    .replaceAll(/<[^>]*>?/g, '');
}

/** Of what is still being written: nothing that may yet turn out to be the beginning of a link, or of a secret. */
export function finishedPart(text: string): string {
  const open = Math.max(text.lastIndexOf('['), text.lastIndexOf('<'));
  const isOpen = open >= 0 && !/[\])>]/.test(text.slice(open + 1));
  const end = isOpen ? open : text.search(/\S*$/);
  return text.slice(0, end);
}
