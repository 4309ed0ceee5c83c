/**
 * Takes out of an answer what would let somebody in, by the names of its members and by what texts look like. It is for whoever
 * passes answers on to where a secret has no business: a model, a thread that others read, a record.
 *
 * The texts are anybody's, so every pattern takes time in proportion to them: none looks from each place as far as the end.
 */
export const MASK = '[hidden]';

/** What nobody could read anyway is not looked through. */
const MAX_TEXT = 100_000;

/** Words that mean a secret wherever they stand in a name, be it of a member, of a constant or of a parameter in an address. */
export const SECRET_WORDS =
  'token|secret|password|passwd|signature|api[_-]?key|jwt|authorization|verifier|sess(?:ion)?[_-]?id|siteyard_login';

const NAMES = [
  SECRET_WORDS,
  '(?<!com|by|sur)pass(?:phrase)?',
  '(?<![a-z0-9])pwd?',
  'credential',
  'salt',
  'nonce',
  '(?:access|private|auth|secret|logged[_-]?in|nonce|ssh|licen[cs]e|encryption|signing)[_-]?key',
  'auto[_-]?login',
  'login[_-]?url',
].join('|');

/** Members whose texts are secret whatever they look like. `_id` and the like are none. */
const SECRET_NAME = new RegExp(`(?:${NAMES}|cookie)s?$`, 'i');

const ASSIGNED = `(?:${NAMES})s?`;
const BLANKS = String.raw`\s{0,10}`;
/** To its end or to that of the line, also within a text that is itself quoted. */
const QUOTED = String.raw`(?:\\+"[^"\\\n]*|\\+'[^'\\\n]*|'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?)`;

const PATTERNS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, MASK],
  // Tokens of ours and of others, by the prefixes that their makers gave them.
  [/\bsy_[\w-]{20,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|[sr]k_(?:live|test)_|whsec_|sk-|AKIA|ya29\.)[\w-]{10,}/g, MASK],
  [/\bSG\.[\w.-]{20,}/g, MASK],
  [/(?<![\w-])eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/g, MASK],
  // WordPress' application passwords: six groups of four, of letters and digits at random.
  [/\b[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}\b(?<=(?:\d|[a-z][A-Z]).{0,28})/g, MASK],
  // Hashes of passwords.
  [/\$(?:wp\$)?(?:P|H|2[abxy]|argon2\w{0,5}|[156])\$[\w./$=,+-]{20,}/g, MASK],
  [/\b(bearer|basic)\s{1,10}[\w.~+/=-]{8,}/gi, `$1 ${MASK}`],
  [
    new RegExp(String.raw`(authorization\\*["']?${BLANKS}[=:]${BLANKS}\\*["']?(?:[a-z]{1,20} )?)[^\s"',;\\]+`, 'gi'),
    `$1${MASK}`,
  ],
  [/(:\/\/[^\s/:@]*:)[^\s/]+@/g, `$1${MASK}@`],
  // As in wp-config.php, in JSON and in PHP's arrays.
  [
    new RegExp(String.raw`(${ASSIGNED}\\*['"]${BLANKS}\]?${BLANKS}(?:,|=>|[=:])${BLANKS})${QUOTED}`, 'gi'),
    `$1'${MASK}'`,
  ],
  [new RegExp(String.raw`(${ASSIGNED}${BLANKS}[=:]${BLANKS})(?:${QUOTED}|[^\s&"',;]+)`, 'gi'), `$1${MASK}`],
  [/([?&](?:key|code|sig|signature|auth)=)[^&\s"'<>]+/gi, `$1${MASK}`],
];

export function maskText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (cut)` : text;
  return PATTERNS.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), cut);
}

/** The same of anything that JSON can hold. */
export function maskSecrets<T>(value: T): T {
  return mask(value, false) as T;
}

/** By the names of members alone, for whoever wrote the other texts or has to read them as they are. */
export function hideNamed<T>(value: T): T {
  return mask(value, false, (text) => text) as T;
}

/** Whether there is a text under a secret name. */
export const holdsNamed = (value: object): boolean => JSON.stringify(hideNamed(value)) !== JSON.stringify(value);

function mask(value: unknown, isSecret: boolean, plain = maskText): unknown {
  if (typeof value === 'string') return isSecret && value !== '' ? MASK : plain(value);
  if (Array.isArray(value)) return value.map((each) => mask(each, isSecret, plain));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mask(each, isSecret || SECRET_NAME.test(name), plain)]),
  );
}
