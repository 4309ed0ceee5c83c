import { nextTurn } from '#core/turns.ts';

/**
 * An answer as text, without what nobody may see. It may have ten megabytes, in which case everybody else would wait for a tenth of a second: so it is read
 * a part at a time.
 */

const PART_BYTES = 64 * 1024;
/** A shorter one could stand in any answer by chance. */
const MIN_SECRET_LENGTH = 6;
/** Base64 writes three bytes as four letters. */
const TRIPLE = 3;

/** Undefined where it is no text. */
export async function readText(body: Buffer, secrets: readonly string[]): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const knife = new Knife(secrets);
  const texts: string[] = [];
  try {
    for (const { part, isLast } of partsOf(body)) {
      if (hasControls(part)) return undefined;
      const text = decoder.decode(part, { stream: !isLast });
      texts.push(knife.cut(text, isLast));
      if (!isLast) await nextTurn();
    }
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  return texts.join('');
}

/** A secret in what is no text is not looked for in every spelling, but such an answer is none that can be shown. */
export async function readBase64(body: Buffer, secrets: readonly string[]): Promise<string> {
  const knife = new Knife(secrets);
  const texts: string[] = [];
  let rest = '';
  for (const { part, isLast } of partsOf(body)) {
    const bytes = rest + knife.cut(part.toString('latin1'), isLast);
    const whole = isLast ? bytes.length : bytes.length - (bytes.length % TRIPLE);
    rest = bytes.slice(whole);
    texts.push(Buffer.from(bytes.slice(0, whole), 'latin1').toString('base64'));
    if (!isLast) await nextTurn();
  }
  return texts.join('');
}

export function cut(text: string, secrets: readonly string[]): string {
  return new Knife(secrets).cut(text, true);
}

/** Takes secrets out of a text that comes in parts. What may be the beginning of one waits for the next part. */
class Knife {
  /** As they are, and as JSON writes them. */
  readonly #forms: readonly string[];
  readonly #longest: number;
  #waiting = '';

  constructor(secrets: readonly string[]) {
    const long = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH);
    this.#forms = long.flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]);
    this.#longest = Math.max(0, ...this.#forms.map(({ length }) => length));
  }

  cut(part: string, isLast: boolean): string {
    let text = this.#waiting + part;
    for (const form of this.#forms) text = text.replaceAll(form, '[cut]');
    const at = isLast ? text.length : Math.max(0, text.length - Math.max(0, this.#longest - 1));
    this.#waiting = text.slice(at);
    return text.slice(0, at);
  }
}

/** JSON needs six letters for each of these. In UTF-8 each is a byte of its own. */
function hasControls(part: Buffer): boolean {
  for (let at = 0; at < part.length; at++) {
    const byte = part[at] as number;
    if (byte < SPACE && byte !== TAB && byte !== LINE_FEED && byte !== RETURN) return true;
  }
  return false;
}

const SPACE = 0x20;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

function* partsOf(body: Buffer): Generator<{ part: Buffer; isLast: boolean }> {
  for (let at = 0; at < body.length; at += PART_BYTES)
    yield { part: body.subarray(at, at + PART_BYTES), isLast: at + PART_BYTES >= body.length };
}
