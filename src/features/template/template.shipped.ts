import { randomUUID } from 'node:crypto';
import type { Tx } from '#core/db/database.ts';
import { inTransaction } from '#core/db/database.ts';
import { jobKind } from '#core/jobs/jobs.ts';
import type { Services } from '#core/services.ts';
import { hashOfShipped } from './shipped.ts';
import { buildTemplate } from './template.jobs.ts';
import { insertShipped, listShipped, lockTemplate, updateTemplateRow } from './template.sql.ts';

/**
 * The templates that come with the platform, for everybody (scripts/make-templates.ts makes them). Each is an archive like any other. A start
 * writes their rows; a job then makes them one after the other, once there is a WordPress, and again when they or it are newer.
 */
const LOOK_MS = 3_000;
const SHIPPED = [
  {
    name: 'blog',
    tag: 'blog',
    description: 'Harbour Notes: a journal with one large story, cards for the others, and four categories.',
  },
  {
    name: 'portfolio',
    tag: 'portfolio',
    description: 'Large type on a dark ground: projects in two columns, a page for each, and one about you.',
  },
  {
    name: 'business',
    tag: 'business',
    description: 'A small company: services, prices, figures, what clients say, the team, news and contact.',
  },
] as const;

/** Writes the rows that are missing; what they are made from takes its time. */
export async function prepareShipped(tx: Tx, { config, jobs }: Services): Promise<void> {
  if (!config.shippedTemplates) return;
  for (const { name, tag, description } of SHIPPED)
    await insertShipped(tx, { id: randomUUID(), shipped_as: name, tag, description, url: `siteyard:template/${name}` });
  await jobs.enqueueOnce(tx, shipTemplates, {}, shipTemplates.name);
}

export const shipTemplates = jobKind<object>({
  name: 'template.ship',
  lane: 'upkeep',
  // A platform that runs for long follows the WordPress that it fetches.
  schedule: '41 3 * * *',
  async run(_payload, { services, commit }) {
    const isOver = !services.config.shippedTemplates || (await beginNext(services));
    await commit(async (tx) => {
      const again = new Date(Date.now() + LOOK_MS);
      if (!isOver) await services.jobs.enqueueOnce(tx, shipTemplates, {}, shipTemplates.name, again);
    });
  },
});

/** One at a time: their PHP is not to stand in the way of somebody's first site. False while there is more to do. */
async function beginNext({ config, db, hosts, jobs }: Services): Promise<boolean> {
  const { coreVersion } = await hosts.prepared(config.newSites);
  const rows = await listShipped(db);
  if (rows.some(({ working_event_id }) => working_event_id !== null)) return false;
  for (const { id, shipped_as, commit_hash } of rows) {
    if (!SHIPPED.some(({ name }) => name === shipped_as)) continue;
    const name = shipped_as as string;
    const commit = `${await hashOfShipped(name)}-${coreVersion}`;
    if (commit === commit_hash) continue;
    await inTransaction(db, async (tx) => {
      const row = await lockTemplate(tx, id);
      if (!row || row.working_event_id !== null) return;
      const eventId = randomUUID();
      await updateTemplateRow(tx, id, { working_event_id: eventId });
      const work = { templateId: id, eventId, contentId: randomUUID(), userId: id, mayUseAccounts: false };
      await jobs.enqueue(tx, buildTemplate, { ...work, from: { shipped: name, commit } }, id);
    });
    return false;
  }
  return true;
}
