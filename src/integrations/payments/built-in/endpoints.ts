import type { Tx } from '#core/db/database.ts';
import { ApiError, missing, required } from './api-error.ts';
import { type Form, listOf, partOf, textOf, textsOf } from './form.ts';
import { findObject, listObjects, type StoredObject, saveObject } from './objects.sql.ts';
import {
  type CheckoutSession,
  type Customer,
  type DeletedCustomer,
  newId,
  type PortalSession,
  type Price,
  type Product,
  type StripeInvoice,
  type StripeSubscription,
} from './stripe-objects.ts';
import { changeSubscription, endSubscription, letTimePass, setItem } from './subscriptions.ts';

/** What an endpoint may use. */
interface Call {
  tx: Tx;
  form: Form;
  /** What the path names. */
  id: string;
  /** In seconds. */
  now: number;
  /** Where the pages of checkout and portal are. */
  pagesUrl: string;
  /** Sends an event of this type. */
  emit(type: string, object: object): Promise<void>;
}

type Endpoint = (call: Call) => Promise<object>;

const SESSION_SECONDS = 86_400;

/** The part of Stripe's API that the platform uses. */
export const ENDPOINTS: readonly [method: string, path: RegExp, Endpoint][] = [
  ['POST', /^\/v1\/customers$/, createCustomer],
  ['GET', /^\/v1\/customers\/(\w+)$/, ({ tx, id }) => find(tx, 'customer', id)],
  ['DELETE', /^\/v1\/customers\/(\w+)$/, deleteCustomer],
  ['POST', /^\/v1\/products$/, createProduct],
  ['GET', /^\/v1\/prices$/, listPrices],
  ['POST', /^\/v1\/prices$/, createPrice],
  ['POST', /^\/v1\/checkout\/sessions$/, createCheckout],
  ['GET', /^\/v1\/checkout\/sessions\/(\w+)$/, ({ tx, id }) => find(tx, 'checkout.session', id)],
  ['POST', /^\/v1\/checkout\/sessions\/(\w+)\/expire$/, expireCheckout],
  ['GET', /^\/v1\/billing_portal\/configurations$/, listConfigurations],
  ['POST', /^\/v1\/billing_portal\/configurations$/, createConfiguration],
  ['POST', /^\/v1\/billing_portal\/sessions$/, createPortal],
  ['GET', /^\/v1\/invoices$/, listInvoices],
  ['GET', /^\/v1\/subscriptions$/, listSubscriptions],
  ['POST', /^\/v1\/subscriptions\/(\w+)$/, updateSubscription],
  ['GET', /^\/v1\/subscriptions\/(\w+)$/, async (call) => ripen(call, await find(call.tx, 'subscription', call.id))],
];

async function find<T extends StoredObject>(tx: Tx, object: string, id: string): Promise<T> {
  const found = await findObject<T>(tx, object, id);
  if (!found) throw missing(object, id);
  return found;
}

async function made<T extends StoredObject>(tx: Tx, object: T): Promise<T> {
  await saveObject(tx, object);
  return object;
}

const list = (url: string, data: object[]) => ({ object: 'list', url, has_more: false, data });

function need(form: Form, name: string): string {
  const value = textOf(form[name]);
  if (value === undefined) throw required(name);
  return value;
}

function createCustomer({ tx, form, now }: Call): Promise<Customer> {
  const said = { email: textOf(form.email) ?? null, name: textOf(form.name) ?? null, metadata: textsOf(form.metadata) };
  return made(tx, { id: newId('cus'), object: 'customer', ...said, created: now, livemode: false });
}

/** What the customer pays for ends with it. */
async function deleteCustomer({ tx, id, now, emit }: Call): Promise<DeletedCustomer> {
  const customer = await livingCustomer(tx, id);
  for (const subscription of await listObjects<StripeSubscription>(tx, 'subscription', id)) {
    if (subscription.status === 'canceled') continue;
    const ended = endSubscription(subscription, now);
    await saveObject(tx, ended);
    await emit('customer.subscription.deleted', ended);
  }
  await emit('customer.deleted', customer);
  return made(tx, { id, object: 'customer', deleted: true });
}

async function livingCustomer(tx: Tx, id: string): Promise<Customer> {
  const customer = await findObject<Customer | DeletedCustomer>(tx, 'customer', id);
  if (!customer || 'deleted' in customer)
    throw new ApiError(400, `No such customer: '${id}'`, { code: 'resource_missing', param: 'customer' });
  return customer;
}

async function createProduct({ tx, form, now }: Call): Promise<Product> {
  const id = textOf(form.id) ?? newId('prod');
  if (await findObject(tx, 'product', id))
    throw new ApiError(400, 'Product already exists.', { code: 'resource_already_exists', param: 'id' });
  const said = { name: need(form, 'name'), metadata: textsOf(form.metadata) };
  return made(tx, { id, object: 'product', ...said, active: true, created: now, livemode: false });
}

async function listPrices({ tx, form }: Call): Promise<object> {
  const keys = listOf(form.lookup_keys).map(String);
  const found = await listObjects<Price>(tx, 'price');
  const wanted = found.filter(({ lookup_key }) => keys.length === 0 || keys.includes(lookup_key ?? ''));
  return list('/v1/prices', wanted);
}

async function createPrice({ tx, form, now }: Call): Promise<Price> {
  const product = await find<Product>(tx, 'product', need(form, 'product'));
  const interval = textOf(partOf(form.recurring).interval);
  if (interval !== 'month' && interval !== 'year') throw required('recurring[interval]');
  const lookup_key = textOf(form.lookup_key) ?? null;
  const holder = (await listObjects<Price>(tx, 'price')).find((each) => lookup_key && each.lookup_key === lookup_key);
  if (holder && textOf(form.transfer_lookup_key) !== 'true')
    throw new ApiError(400, 'A price already uses that lookup key.', { param: 'lookup_key' });
  if (holder) await saveObject(tx, { ...holder, lookup_key: null } as Price);
  return made(tx, {
    id: newId('price'),
    object: 'price',
    product: product.id,
    active: true,
    currency: need(form, 'currency'),
    unit_amount: Number(need(form, 'unit_amount')),
    recurring: { interval, interval_count: 1 },
    type: 'recurring',
    lookup_key,
    metadata: textsOf(form.metadata),
    created: now,
    livemode: false,
  });
}

async function createCheckout({ tx, form, now, pagesUrl }: Call): Promise<CheckoutSession> {
  if (need(form, 'mode') !== 'subscription') throw new ApiError(400, 'Only subscriptions are sold here.');
  const customer = await livingCustomer(tx, need(form, 'customer'));
  const price = await find<Price>(tx, 'price', need(partOf(listOf(form.line_items)[0]), 'price'));
  const id = newId('cs_test');
  return made(tx, {
    id,
    object: 'checkout.session',
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: textOf(form.client_reference_id) ?? null,
    success_url: need(form, 'success_url'),
    cancel_url: textOf(form.cancel_url) ?? null,
    metadata: textsOf(form.metadata),
    subscription_metadata: textsOf(partOf(form.subscription_data).metadata),
    price: price.id,
    amount_total: price.unit_amount,
    currency: price.currency,
    status: 'open',
    payment_status: 'unpaid',
    subscription: null,
    url: `${pagesUrl}/test-checkout/${id}`,
    created: now,
    expires_at: now + SESSION_SECONDS,
    livemode: false,
  });
}

async function expireCheckout({ tx, id, emit }: Call): Promise<CheckoutSession> {
  const session = await find<CheckoutSession>(tx, 'checkout.session', id);
  if (session.status !== 'open')
    throw new ApiError(400, `Only Checkout Sessions with a status in ["open"] can be expired.`);
  const expired: CheckoutSession = { ...session, status: 'expired', url: null };
  await saveObject(tx, expired);
  await emit('checkout.session.expired', expired);
  return expired;
}

async function listConfigurations({ tx }: Call): Promise<object> {
  return list('/v1/billing_portal/configurations', await listObjects(tx, 'billing_portal.configuration'));
}

function createConfiguration({ tx, form, now }: Call): Promise<object> {
  if (Object.keys(partOf(form.features)).length === 0) throw required('features');
  const said = { metadata: textsOf(form.metadata), features: partOf(form.features) };
  const configuration = { id: newId('bpc'), object: 'billing_portal.configuration', active: true, ...said };
  return made(tx, { ...configuration, created: now, livemode: false });
}

async function createPortal({ tx, form, now, pagesUrl }: Call): Promise<PortalSession> {
  const customer = await livingCustomer(tx, need(form, 'customer'));
  const id = newId('bps');
  return made(tx, {
    id,
    object: 'billing_portal.session',
    customer: customer.id,
    return_url: textOf(form.return_url) ?? pagesUrl,
    url: `${pagesUrl}/test-portal/${id}`,
    created: now,
    livemode: false,
  });
}

async function listSubscriptions(call: Call): Promise<object> {
  const { tx, form } = call;
  const customer = await livingCustomer(tx, need(form, 'customer'));
  const found = await listObjects<StripeSubscription>(tx, 'subscription', customer.id);
  const ripe = [];
  for (const subscription of found) ripe.push(await ripen(call, subscription));
  // Stripe leaves out what has ended unless it is asked for everything.
  const all = textOf(form.status) === 'all';
  const after = ripe.findIndex(({ id }) => id === textOf(form.starting_after)) + 1;
  const limit = Number(textOf(form.limit) ?? 10);
  const wanted = ripe.slice(after).filter(({ status }) => all || status !== 'canceled');
  return { ...list('/v1/subscriptions', wanted.slice(0, limit)), has_more: wanted.length > limit };
}

/** Its items alone: each is named by its id, or new. */
async function listInvoices({ tx, form }: Call): Promise<object> {
  const found = await listObjects<StripeInvoice>(tx, 'invoice', need(form, 'customer'));
  const subscription = textOf(form.subscription);
  const wanted = found.filter(({ parent }) => subscription === parent.subscription_details.subscription);
  return list('/v1/invoices', wanted.slice(0, Number(textOf(form.limit) ?? 10)));
}

async function updateSubscription({ tx, form, id, now, emit }: Call): Promise<StripeSubscription> {
  let subscription = await find<StripeSubscription>(tx, 'subscription', id);
  if (subscription.status === 'canceled')
    throw new ApiError(400, 'A canceled subscription can only update its metadata.');
  for (const wanted of listOf(form.items).map(partOf)) {
    const itemId = textOf(wanted.id);
    if (itemId !== undefined && !subscription.items.data.some((item) => item.id === itemId))
      throw missing('subscription_item', itemId);
    const priceId = textOf(wanted.price);
    const price = priceId === undefined ? undefined : await find<Price>(tx, 'price', priceId);
    if (itemId === undefined && subscription.items.data.some((item) => item.price.id === priceId))
      throw new ApiError(400, 'Cannot add multiple subscription items with the same plan.');
    const quantity = textOf(wanted.deleted) === 'true' ? 0 : Number(textOf(wanted.quantity) ?? 1);
    subscription = setItem(subscription, itemId, price, quantity);
  }
  if (textOf(form.cancel_at_period_end) === 'true')
    subscription = changeSubscription(subscription, { action: 'cancel' }, [], now) ?? subscription;
  await saveObject(tx, subscription);
  await emit('customer.subscription.updated', subscription);
  return subscription;
}

/** Nothing here runs by the clock, so time passes for a subscription when somebody looks at it. */
async function ripen({ tx, now, emit }: Call, subscription: StripeSubscription): Promise<StripeSubscription> {
  const ripe = letTimePass(subscription, now);
  if (ripe === subscription) return subscription;
  await saveObject(tx, ripe);
  await emit(ripe.status === 'canceled' ? 'customer.subscription.deleted' : 'customer.subscription.updated', ripe);
  return ripe;
}
