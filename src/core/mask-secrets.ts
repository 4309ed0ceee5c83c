/**
 * Takes out of an answer what would let somebody in, by the names of its members and by what texts look like. It is for whoever
 * passes answers on to where a secret has no business: a model, a thread that others read, a record.
 */
export const MASK = '[hidden]';

/** Members whose texts are secret whatever they look like. `_id` and the like are none. */
const SECRET_NAME =
  /(?:password|passwd|passphrase|secret|token|private_?key|api_?key|access_?key|credential|authorization|cookie|salt|nonce)s?$/i;

const ASSIGNED =
  '(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|salt|nonce)';

const PATTERNS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, MASK],
  // Tokens of ours and of others, by the prefixes that their makers gave them.
  [/\bsy_[\w-]{20,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|[sr]k_(?:live|test)_|whsec_|sk-|AKIA|ya29\.)[\w-]{10,}/g, MASK],
  [/\beyJ[\w-]{10,}\.[\w-]+\.[\w-]+/g, MASK],
  // Hashes of passwords.
  [/\$(?:wp\$)?(?:P|H|2[abxy]|argon2\w*|[156])\$[\w./$=,+-]{20,}/g, MASK],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+@/gi, `$1${MASK}@`],
  // As in wp-config.php.
  [new RegExp(String.raw`(['"][\w-]*${ASSIGNED}['"]\s*(?:,|=>|:)\s*)(?:'[^'\n]*'|"[^"\n]*")`, 'gi'), `$1'${MASK}'`],
  [new RegExp(String.raw`([\w-]*${ASSIGNED}\s*[=:]\s*)(?!\s)(?:'[^'\n]*'|"[^"\n]*"|[^\s&"',;]+)`, 'gi'), `$1${MASK}`],
  [/([?&](?:key|code|sig|signature|auth)=)[^&\s"'<>]+/gi, `$1${MASK}`],
];

export function maskText(text: string): string {
  return PATTERNS.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}

/** The same of anything that JSON can hold. */
export function maskSecrets<T>(value: T): T {
  return mask(value, false) as T;
}

function mask(value: unknown, isSecret: boolean): unknown {
  if (typeof value === 'string') return isSecret && value !== '' ? MASK : maskText(value);
  if (Array.isArray(value)) return value.map((each) => mask(each, isSecret));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mask(each, SECRET_NAME.test(name))]));
}
