import { escapeHtml } from '#core/escape-html.ts';
/** A sentence of ours, where `this` is code. */
export function inline(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** `createPitRestore` as somebody would say it: "Create PIT restore". */
export function toWords(id: string): string {
  const words = id.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(/[ _]/);
  const said = words.map((word) => ABBREVIATIONS[word.toLowerCase()] ?? word.toLowerCase()).join(' ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}

const ABBREVIATIONS: Record<string, string> = {
  api: 'API',
  cdn: 'CDN',
  cms: 'CMS',
  git: 'Git',
  html: 'HTML',
  pit: 'PIT',
  ssh: 'SSH',
  urls: 'URLs',
  xml: 'XML',
};

/** A name for the address: `external paths` is external-paths. */
export const toSlug = (name: string): string => name.replaceAll(' ', '-');
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
