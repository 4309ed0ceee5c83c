import { createHmac } from 'node:crypto';
import { newId } from './stripe-objects.ts';

/** An event as it is sent: the body, and what `Stripe-Signature` says of it. */
export interface Delivery {
  body: string;
  signature: string;
}

export function newDelivery(type: string, object: object, now: number, secret: string): Delivery {
  const event = {
    id: newId('evt'),
    object: 'event',
    api_version: null,
    created: now,
    type,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
  };
  const body = JSON.stringify(event);
  return { body, signature: signDelivery(body, now, secret) };
}

export function signDelivery(body: string, timestamp: number, secret: string): string {
  return `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}
