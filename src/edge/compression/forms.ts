import type { RawHeaders } from '../raw-headers.ts';
import { ReadyAnswer } from '../ready-answer.ts';
import type { Allowance } from './allowance.ts';
import { bestCoding, type Coding, compress, MIN_BYTES } from './codings.ts';

/** Making a form to keep takes so many times of what compressing on the way takes. */
const KEPT_COST = 3;

/**
 * One content in the forms that visitors take: as it is, and compressed. A compressed form is made when somebody first
 * asks for it; until it is there, the plain one goes out, so that nobody waits who does not want to.
 */
export class Forms {
  readonly plain: ReadyAnswer;
  readonly #headers: (coding: Coding) => RawHeaders;
  readonly #status: number;
  readonly #onGrow: (bytes: number) => void;
  readonly #isCompressible: boolean;
  readonly #made = new Map<Coding, ReadyAnswer | Promise<void>>();

  constructor(
    status: number,
    body: Buffer,
    headers: (coding: Coding | undefined) => RawHeaders,
    isCompressible: boolean,
    onGrow: (bytes: number) => void,
  ) {
    this.plain = new ReadyAnswer(status, headers(undefined), body);
    this.#status = status;
    this.#headers = headers;
    this.#onGrow = onGrow;
    this.#isCompressible = isCompressible && body.length >= MIN_BYTES;
  }

  /** The best form that is there for this Accept-Encoding. The allowance is the visited site's. */
  pick(acceptEncoding: string | string[] | undefined, allowance: Allowance): ReadyAnswer {
    const form = this.#find(acceptEncoding, allowance);
    return form instanceof ReadyAnswer ? form : this.plain;
  }

  /** Resolves when `pick` has the best form to give: for whoever waited for the content anyway. */
  async prepare(acceptEncoding: string | string[] | undefined, allowance: Allowance): Promise<void> {
    const form = this.#find(acceptEncoding, allowance);
    if (form instanceof Promise) await form;
  }

  #find(acceptEncoding: string | string[] | undefined, allowance: Allowance): ReadyAnswer | Promise<void> | undefined {
    const coding = this.#isCompressible ? bestCoding(acceptEncoding, 'kept') : undefined;
    if (coding === undefined) return undefined;
    const made = this.#made.get(coding);
    if (made || !allowance.spend(this.plain.body.length * KEPT_COST)) return made;
    const making = this.#make(coding);
    this.#made.set(coding, making);
    return making;
  }

  async #make(coding: Coding): Promise<void> {
    const { body } = this.plain;
    const made = await compress(body, coding).catch(() => body);
    // What does not get smaller stays as it is.
    if (made.length >= body.length) return void this.#made.set(coding, this.plain);
    this.#made.set(coding, new ReadyAnswer(this.#status, this.#headers(coding), made));
    this.#onGrow(made.length);
  }
}
