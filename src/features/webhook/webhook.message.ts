import { Webhook } from 'standardwebhooks';
import type { Db } from '#core/db/database.ts';
import { OutboundFailed, OutboundRefused } from '#core/outbound.ts';
import type { Services } from '#core/services.ts';
import { completeEvents } from '#features/event/event.ts';
import type { KeptEvent, Outcome } from './webhook-delivery.sql.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const KEPT_ANSWER_BYTES = 1024;

/** What is sent: the event as the API answers it, as it was at that moment. Nobody in particular reads it, so it is unread. */
export async function renderPayload(db: Db, event: KeptEvent): Promise<Record<string, unknown>> {
  const { created_at, finished_at } = event;
  const moments = {
    created_at: new Date(created_at),
    finished_at: finished_at === null ? null : new Date(finished_at),
  };
  const [data] = await completeEvents(db, [{ ...event, ...moments, unread: true }]);
  return { type: event.event_type, timestamp: moments.finished_at ?? moments.created_at, data };
}

/** Makes one call, signed as Standard Webhooks with every secret that is good. It never throws for what the other side does. */
export async function callWebhook(
  { db, outbound, secrets: { open } }: Services,
  { id, url, event, secrets }: { id: string; url: string; event: KeptEvent; secrets: Buffer[] },
): Promise<Outcome> {
  const body = JSON.stringify(await renderPayload(db, event));
  const now = new Date();
  const signatures = secrets.map((sealed) => new Webhook(open(sealed).toString()).sign(id, now, body));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Siteyard-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
  const begun = performance.now();
  const durationMs = () => Math.round(performance.now() - begun);
  try {
    const answer = await outbound.fetch(url, {
      method: 'POST',
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      // The status alone says whether it was taken; some answer with a whole page.
      cutsLongAnswer: true,
    });
    const { status } = answer;
    const isDelivered = status >= 200 && status < 300;
    return {
      isDelivered,
      status,
      body: toText(answer.body.subarray(0, KEPT_ANSWER_BYTES)),
      durationMs: durationMs(),
      error: isDelivered ? null : describeStatus(status),
    };
  } catch (error) {
    return { isDelivered: false, status: null, body: null, durationMs: durationMs(), error: describeError(error) };
  }
}

/** Postgres keeps no NUL in a text. */
const toText = (bytes: Buffer) => bytes.toString().replaceAll('\0', '\uFFFD');

function describeStatus(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}, a redirect; calls are not sent on.`;
  return `It answered ${status}; an answer from 200 to 299 means that it took the call.`;
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'It refused the connection.',
  ECONNRESET: 'It ended the connection without an answer.',
  ENOTFOUND: 'There is no host of this name.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EHOSTUNREACH: 'The host can not be reached.',
  ENETUNREACH: 'The host can not be reached.',
  ETIMEDOUT: 'The host did not take the connection in time.',
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is signed by itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is signed by nobody known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is signed by nobody known.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host.',
};

/** In our own words: what a library says of a failure may hold more than is anybody's business. */
function describeError(error: unknown): string {
  if (error instanceof OutboundRefused) return error.message;
  if (error instanceof OutboundFailed) return `It did not answer within ${TIMEOUT_MS / 1000} seconds.`;
  const code = String((error as { code?: unknown }).code ?? 'unknown');
  return SENTENCES[code] ?? `The call failed (${code}).`;
}
