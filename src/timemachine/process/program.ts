import { Channel } from '#core/starter/channel.ts';
import { packFailure } from '../failure.ts';
import { Repository } from '../repository.ts';
import { openStore } from '../stores/open-store.ts';
import type { DescribedPlan } from './difference.ts';
import { type Conversation, makeHandlers } from './handlers.ts';
import type { Announcement, CallName, FromProcess, ToProcess } from './protocol.ts';

/**
 * The process in which sites are read and restored. A site's database is whatever the site made of it, and SQLite runs
 * what is in there, so it is never opened in the platform's own process; this one can be ended at any time. Which store it
 * works on is the first thing that it is told, over its channel: others can read arguments and environments.
 */
let handlers: ReturnType<typeof makeHandlers> | undefined;
/** Calls that wait for the caller's word. */
const waiting = new Map<number, { plan: DescribedPlan; proceed: () => void }>();
/** Calls that wait for contents. */
const wanting = new Map<number, (given: Uint8Array[]) => void>();
let running = 0;
const channel = Channel.ofProgram();
const tell = (message: FromProcess) => channel.send(message);

async function answer(id: number, call: CallName, args: unknown[]): Promise<void> {
  const conversation: Conversation = {
    onProgress: (progress) => tell({ id, progress }),
    announce: (now, plan) =>
      new Promise((resolve) => {
        waiting.set(id, { plan, proceed: resolve });
        tell({ id, planned: { now, difference: plan.difference } satisfies Announcement });
      }),
    want: (names) =>
      new Promise((resolve) => {
        wanting.set(id, resolve);
        tell({ id, wanted: names });
      }),
  };
  running++;
  try {
    const handler = handlers?.[call] as (conversation: Conversation, ...args: unknown[]) => Promise<unknown>;
    tell({ id, value: await handler(conversation, ...args) });
  } catch (error) {
    tell({ id, failure: packFailure(error) });
  } finally {
    running--;
  }
}

channel.on('message', (told) => {
  const message = told as ToProcess;
  if ('store' in message) {
    handlers = makeHandlers(new Repository(openStore(message.store)));
    return;
  }
  if ('call' in message) return void answer(message.id, message.call, message.args);
  if ('given' in message) return wanting.get(message.id)?.(message.given);
  const call = waiting.get(message.id);
  if (!call) return;
  if ('list' in message) return void tell({ id: message.id, listed: call.plan.list(message.list) });
  waiting.delete(message.id);
  call.proceed();
});

/** The parent is gone, or wants this process to end: what is known of the files is kept for the next one. */
channel.once('close', async () => {
  // Nobody holds the site for us any more: the next process may be at it, and finishes what was begun here.
  if (running > 0) process.exit(1);
  await handlers?.close();
  process.exit(0);
});
