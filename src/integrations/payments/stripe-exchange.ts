import Stripe from 'stripe';
import { type Outbound, OutboundFailed } from '#core/outbound.ts';

/** A request in Stripe's protocol and its answer, whatever carries them. */
export interface StripeRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface StripeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type StripeExchange = (request: StripeRequest, timeoutMs: number) => Promise<StripeAnswer>;

const MAX_BYTES = 8 * 1024 * 1024;

/** Over the network, as every call to the outside goes. */
export function exchangeOver(outbound: Outbound, apiUrl: string): StripeExchange {
  return async ({ method, path, headers, body }, timeoutMs) => {
    const options = { method, headers, timeoutMs, maxBytes: MAX_BYTES, ...(method === 'POST' && { body }) };
    const answer = await outbound.fetch(new URL(path, apiUrl), options).catch((error) => {
      if (error instanceof OutboundFailed && error.reason === 'timeout') throw Stripe.HttpClient.makeTimeoutError();
      throw error;
    });
    const single = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return { status: answer.status, headers: Object.fromEntries(single), body: answer.body.toString('utf8') };
  };
}

/** What the SDK sends its requests with. */
export class ExchangeClient extends Stripe.HttpClient {
  readonly #exchange: StripeExchange;

  constructor(exchange: StripeExchange) {
    super();
    this.#exchange = exchange;
  }

  override getClientName(): string {
    return 'siteyard';
  }

  override async makeRequest(
    ...[, , path, method, headers, body, , timeoutMs]: Parameters<Stripe.HttpClient['makeRequest']>
  ): Promise<ExchangeAnswer> {
    const plain = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return new ExchangeAnswer(
      await this.#exchange({ method, path, headers: Object.fromEntries(plain), body }, timeoutMs),
    );
  }
}

class ExchangeAnswer extends Stripe.HttpClientResponse {
  readonly #answer: StripeAnswer;

  constructor(answer: StripeAnswer) {
    super(answer.status, answer.headers);
    this.#answer = answer;
  }

  override getRawResponse(): object {
    return { ...this.#answer };
  }

  override async toJSON(): Promise<unknown> {
    return this._parseResponseBody(this.#answer.body);
  }
}
