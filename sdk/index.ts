import { type Client, type ClientOptions, createClient as createBareClient } from './client.ts';
import { type RetryOptions, retrying } from './retry.ts';

export * from './client.ts';
export { ROUTES } from './operations.generated.ts';
export { each, pages } from './pages.ts';
export type { RetryOptions } from './retry.ts';
export { sleep } from './sleep.ts';
export { messages, messagesIn } from './stream.ts';
export { events, start, type WaitOptions, WorkFailed, waitFor } from './work.ts';

/** A client of a platform that sends again what did not get through: `createClient({ baseUrl, token })`. */
export function createClient(options: ClientOptions & RetryOptions): Client {
  return createBareClient({ transport: retrying(options), ...options });
}
