import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTransaction, openDatabase } from '#core/db/database.ts';
import type { TestAction } from '#core/payments.ts';
import { BuiltInStripe } from '#integrations/payments/built-in/built-in-stripe.ts';
import type { Delivery } from '#integrations/payments/built-in/events.ts';
import { listObjects, type StoredObject, saveObject } from '#integrations/payments/built-in/objects.sql.ts';
import type { CheckoutSession, Customer, StripeSubscription } from '#integrations/payments/built-in/stripe-objects.ts';
import type { StripeRequest } from '#integrations/payments/stripe-exchange.ts';
import { createTestDatabase, type TestApp } from '../app/test-app.ts';

const SECRET_KEY = 'sk_test_of_the_tests';
export const WEBHOOK_SECRET = 'whsec_of_the_tests';

/** What a test may do to a request: let it be answered, answer and then cut the line, or be deaf. */
type Fault = (request: StripeRequest) => 'cut after' | 'refuse' | undefined;

/**
 * The built-in provider behind a socket and with a database of its own, so that the platform knows it by Stripe's
 * protocol alone. Nothing is delivered by itself: tests decide when, how often and in which order.
 */
export interface StripeServer {
  env: Record<string, string>;
  /** Every event so far, the oldest first. */
  deliveries: Delivery[];
  requests: StripeRequest[];
  fault: Fault | undefined;
  /** Called when the provider has done what was asked and nobody knows yet. The answer waits for it. */
  done: ((request: StripeRequest) => Promise<void> | void) | undefined;
  /** Somebody pays on the checkout's page. */
  pay(url: string): Promise<void>;
  /** The customer does this in the portal. */
  act(action: TestAction, subscriptionId: string): Promise<boolean>;
  /** The operator deletes this person's customer in Stripe's own dashboard. */
  deleteCustomer(email: string): Promise<void>;
  /** What the provider has of this from now on, without a word. */
  save(object: StoredObject): Promise<void>;
  subscriptions(): Promise<StripeSubscription[]>;
  sessions(): Promise<CheckoutSession[]>;
  objects<T extends StoredObject>(object: string): Promise<T[]>;
  close(): Promise<void>;
}

export async function startStripeServer(): Promise<StripeServer> {
  const database = await createTestDatabase();
  const { db: store, close } = openDatabase(database.url, 4, () => {});
  const deliveries: Delivery[] = [];
  const builtIn = new BuiltInStripe({
    store,
    secretKey: SECRET_KEY,
    webhookSecret: WEBHOOK_SECRET,
    pagesUrl: 'http://localhost',
    deliver: async (_db, delivery) => void deliveries.push(delivery),
  });
  const listener = createServer(async (incoming, outgoing) => {
    const request = await readRequest(incoming);
    server.requests.push(request);
    const fault = server.fault?.(request);
    if (fault === 'refuse') return void incoming.socket.destroy();
    const answer = await builtIn.handle(request);
    await server.done?.(request);
    if (fault === 'cut after') return void incoming.socket.destroy();
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const objects = <T extends StoredObject>(object: string) => listObjects<T>(store, object);
  const server: StripeServer = {
    env: {
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_URL: `http://127.0.0.1:${port}`,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    deliveries,
    requests: [],
    fault: undefined,
    done: undefined,
    pay: (url) => inTransaction(store, (tx) => builtIn.pages.endCheckout(tx, url.split('/').at(-1) as string, 'paid')),
    act: async (action, subscriptionId) => {
      const subscription = (await server.subscriptions()).find(({ id }) => id === subscriptionId);
      const portal = { id: '', customerId: subscription?.customer ?? '', returnUrl: '', subscriptions: [] };
      return inTransaction(store, (tx) => builtIn.pages.act(tx, portal, subscriptionId, action));
    },
    deleteCustomer: async (email) => {
      const customer = (await objects<Customer>('customer')).find((each) => each.email === email);
      const headers = { authorization: `Bearer ${SECRET_KEY}` };
      const path = `/v1/customers/${customer?.id}`;
      assert.equal((await builtIn.handle({ method: 'DELETE', path, headers, body: '' })).status, 200);
    },
    save: (object) => saveObject(store, object),
    subscriptions: () => objects<StripeSubscription>('subscription'),
    sessions: () => objects<CheckoutSession>('checkout.session'),
    objects,
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
      await close();
      await database.drop();
    },
  };
  return server;
}

async function readRequest(incoming: IncomingMessage): Promise<StripeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method as string,
    path: incoming.url as string,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Sends an event as the provider would; the status of the answer. */
export async function deliver(app: Pick<TestApp, 'api'>, { body, signature }: Delivery): Promise<number> {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
  const response = await fetch(`${app.api}/payment_webhook`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}
