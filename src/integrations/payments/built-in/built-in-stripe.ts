import { createHash } from 'node:crypto';
import type { Db, Tx } from '#core/db/database.ts';
import type { TestPages } from '#core/payments.ts';
import type { StripeAnswer, StripeRequest } from '../stripe-exchange.ts';
import { ApiError } from './api-error.ts';
import { ENDPOINTS } from './endpoints.ts';
import { type Delivery, newDelivery } from './events.ts';
import { readForm } from './form.ts';
import { alone, findObject, holdProvider, type Store, type StoredObject, saveObject } from './objects.sql.ts';
import { act, endCheckout, readCheckout, readPortal } from './pages.ts';
import { newId } from './stripe-objects.ts';

/**
 * A payment provider that takes no money and speaks the part of Stripe's protocol that the platform uses. Its objects are
 * in the platform's database, so that every process talks to the same one. In a default installation the SDK's requests
 * are handed to it within the process; the tests put it behind a socket.
 */
interface Options {
  store: Store;
  secretKey: string;
  webhookSecret: string;
  /** Where the dashboard has its pages of checkout and portal. */
  pagesUrl: string;
  /** Takes an event, in the transaction of the change that it tells of. */
  deliver(db: Db, delivery: Delivery): Promise<void>;
}

type KeptAnswer = StoredObject & { request: string; answer: StripeAnswer };

export class BuiltInStripe {
  readonly #options: Options;
  readonly pages: TestPages;

  constructor(options: Options) {
    this.#options = options;
    this.pages = {
      readCheckout,
      readPortal,
      endCheckout: async (db, id, outcome) => {
        await holdProvider(db);
        await endCheckout(db, id, outcome, seconds(), this.#emitter(db));
      },
      act: async (db, { customerId }, subscriptionId, action) => {
        await holdProvider(db);
        return act(db, customerId, subscriptionId, action, seconds(), this.#emitter(db));
      },
    };
  }

  async handle(request: StripeRequest): Promise<StripeAnswer> {
    try {
      if (request.headers.authorization !== `Bearer ${this.#options.secretKey}`)
        throw new ApiError(401, 'Invalid API Key provided.', { type: 'invalid_request_error' });
      return await alone(this.#options.store, (tx) => this.#answerOnce(tx, request));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return toAnswer(error.status, error.toBody());
    }
  }

  /** A key stands for one request for ever; another request under it is refused. */
  async #answerOnce(tx: Tx, request: StripeRequest): Promise<StripeAnswer> {
    const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    if (key === undefined) return this.#answer(tx, request);
    const said = createHash('sha256').update(`${request.path}\n${request.body}`).digest('hex');
    const id = `key ${key}`;
    const kept = await findObject<KeptAnswer>(tx, 'idempotency_key', id);
    if (kept && kept.request !== said)
      throw new ApiError(400, 'Keys for idempotent requests can only be used with the same parameters.', {
        type: 'idempotency_error',
      });
    if (kept) return { ...kept.answer, headers: { ...kept.answer.headers, 'idempotent-replayed': 'true' } };
    const answer = await this.#answer(tx, request);
    await saveObject(tx, { id, object: 'idempotency_key', request: said, answer } as KeptAnswer);
    return answer;
  }

  async #answer(tx: Tx, { method, path, body }: StripeRequest): Promise<StripeAnswer> {
    const [pathname = '', query = ''] = path.split('?');
    for (const [verb, pattern, endpoint] of ENDPOINTS) {
      const match = verb === method ? pattern.exec(pathname) : null;
      if (!match) continue;
      const { pagesUrl } = this.#options;
      const call = {
        tx,
        form: readForm(method === 'GET' ? query : body),
        id: match[1] ?? '',
        now: seconds(),
        pagesUrl,
      };
      return toAnswer(200, await endpoint({ ...call, emit: this.#emitter(tx) }));
    }
    throw new ApiError(404, `Unrecognized request URL (${method}: ${pathname}).`);
  }

  #emitter(db: Db) {
    const { deliver, webhookSecret } = this.#options;
    return (type: string, object: object) => deliver(db, newDelivery(type, object, seconds(), webhookSecret));
  }
}

function toAnswer(status: number, body: object): StripeAnswer {
  const headers = { 'content-type': 'application/json', 'request-id': newId('req') };
  return { status, headers, body: JSON.stringify(body) };
}

const seconds = () => Math.floor(Date.now() / 1000);
