import { inTransaction } from '#core/db/database.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { mailSwitchedOff } from './webhook.jobs.ts';
import { callWebhook } from './webhook.message.ts';
import { SWITCHED_OFF_BECAUSE } from './webhook.notice.ts';
import { hasNotices, takeNotices } from './webhook.sql.ts';
import { hostOf } from './webhook.ts';
import {
  type DueDelivery,
  GONE,
  millisecondsUntilDue,
  noteOutcome,
  type Outcome,
  takeDueDeliveries,
} from './webhook-delivery.sql.ts';

/** Calls under way in this process. They wait for others, so many cost little. */
const AT_ONCE = 200;
/** Of these, to one endpoint. */
const OF_EACH = 4;
const SAFETY_POLL_MS = 10_000;
const AFTER_FAULT_MS = 1_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The pause after the first failure, after the second, and so on: three days in all. */
const PAUSES_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
const JITTER = 0.2;

/**
 * Makes the calls that are due: the table is the queue, its database says when something came. Any number of processes do
 * this side by side. A process that is killed between a call and its note leaves a delivery that another one repeats.
 */
export class WebhookSender {
  readonly #services: Services;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #underWay = { toEndpoint: new Map<string, number>(), ofTeam: new Map<string, number>() };
  #pumping: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  async start(): Promise<void> {
    const { listener } = this.#services;
    await listener.on('webhook', () => this.#wake());
    listener.onReconnect(() => this.#wake());
    this.#wake();
  }

  /** Lets the calls that are under way finish; what they bring is written down. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#pumping;
    await Promise.all(this.#calls);
  }

  #wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
      // What came during the last look at the database has not been seen yet.
      if (this.#again) this.#wake();
    });
  }

  async #pump(): Promise<void> {
    clearTimeout(this.#timer);
    let delayMs = SAFETY_POLL_MS;
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        await tellOfSwitchedOff(this.#services);
        await this.#takeDue();
      }
      delayMs = Math.min(delayMs, (await millisecondsUntilDue(this.#services.db)) ?? delayMs);
    } catch (error) {
      delayMs = AFTER_FAULT_MS;
      if (!this.#closed) this.#services.log.warn({ err: error }, 'could not see which webhooks are due');
    }
    if (!this.#closed) this.#timer = setTimeout(() => this.#wake(), delayMs);
  }

  async #takeDue(): Promise<void> {
    const free = AT_ONCE - this.#calls.size;
    if (free <= 0) return;
    const due = await takeDueDeliveries(this.#services.db, { free, ofEach: OF_EACH, underWay: this.#underWay });
    // Only a part of what is free is given at a time, so there may be more.
    if (due.length > 0) this.#again = true;
    for (const delivery of due) {
      this.#count(delivery, 1);
      const call = this.#deliver(delivery)
        .catch((error) =>
          this.#services.log.warn({ err: error, delivery: delivery.id }, 'a webhook call was not noted'),
        )
        .finally(() => {
          this.#calls.delete(call);
          this.#count(delivery, -1);
          this.#wake();
        });
      this.#calls.add(call);
    }
  }

  async #deliver(delivery: DueDelivery): Promise<void> {
    const outcome = await callWebhook(this.#services, delivery);
    await inTransaction(this.#services.db, (tx) => noteOutcome(tx, delivery, outcome, pauseAfter(delivery, outcome)));
  }

  #count({ webhook_id, team_id }: DueDelivery, by: 1 | -1): void {
    add(this.#underWay.toEndpoint, webhook_id, by);
    add(this.#underWay.ofTeam, team_id, by);
  }
}

function add(counts: Map<string, number>, id: string, by: 1 | -1): void {
  const count = (counts.get(id) ?? 0) + by;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}

/** Undefined where there is no further attempt. Spread a little, so that what failed together does not return together. */
function pauseAfter({ attempts }: DueDelivery, { status }: Outcome): number | undefined {
  const pause = status === GONE ? undefined : PAUSES_MS[attempts - 1];
  return pause && pause * (1 + JITTER * Math.random());
}

/** The notice, its event and its mail are one transaction: told once, whoever does it. */
async function tellOfSwitchedOff({ db, jobs }: Services): Promise<void> {
  if (!(await hasNotices(db))) return;
  await inTransaction(db, async (tx) => {
    for (const webhook of await takeNotices(tx)) {
      await recordEvent(tx, {
        scope: 'team',
        event_type: 'webhook.disabled',
        activity: `The webhook to ${hostOf(webhook)} was switched off: ${SWITCHED_OFF_BECAUSE[webhook.reason]}`,
        by: null,
        team_id: webhook.team_id,
        item_id: webhook.id,
        detail: { reason: webhook.reason },
      });
      await jobs.enqueue(tx, mailSwitchedOff, { webhookId: webhook.id });
    }
  });
}
