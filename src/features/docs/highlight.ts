import { escapeHtml } from '#core/escape-html.ts';

type Rule = [kind: string, pattern: RegExp];

const STRING: Rule = ['string', /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/];
const NUMBER: Rule = ['number', /\b\d+(?:\.\d+)?\b/];
const SCRIPT: Rule[] = [
  ['comment', /\/\/.*|\/\*[\s\S]*?\*\//],
  STRING,
  [
    'word',
    /\b(?:import|from|export|const|let|await|async|for|of|if|else|return|new|function|throw|try|catch|true|false|null)\b/,
  ],
  NUMBER,
];
const SHELL: Rule[] = [
  ['comment', /(?<=^|\s)#.*/],
  ['name', /\$\{?\w+\}?/],
  ['string', /"(?:[^"\\]|\\.)*"|'[^']*'/],
  ['word', /(?<=^|[|(]\s*)(?:curl|export|siteyard|ssh|sftp|scp|rsync|npm|npx|node|git|jq|wp|sudo|systemctl|claude)\b/],
  ['number', /(?<=\s)--?[A-Za-z][\w-]*/],
];
const LANGUAGES: Record<string, Rule[]> = {
  ts: SCRIPT,
  js: SCRIPT,
  sh: SHELL,
  console: SHELL,
  json: [['name', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/], STRING, ['word', /\b(?:true|false|null)\b/], NUMBER],
};

/** Coloured as far as a few patterns go; what they do not know is plain. */
export function highlight(text: string, language: string): string {
  const rules = LANGUAGES[language];
  if (!rules) return escapeHtml(text);
  const any = new RegExp(rules.map(([, pattern]) => `(${pattern.source})`).join('|'), 'gm');
  let [html, end] = ['', 0];
  for (const match of text.matchAll(any)) {
    const rule = rules[match.slice(1).findIndex((group) => group !== undefined)];
    html += `${escapeHtml(text.slice(end, match.index))}<span class="t-${rule?.[0]}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}
