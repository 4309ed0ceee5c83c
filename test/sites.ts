import { randomBytes } from 'node:crypto';
import type { Site } from '#sdk';
import type { TestApp } from './app.ts';
import type { Person } from './people.ts';

/** The first administrator of every site that tests make. */
export const CMS = {
  cms_blog_name: 'A blog of the tests',
  cms_username: 'ada',
  cms_email: 'ada@example.com',
  cms_first_name: 'Ada',
  cms_last_name: 'Lovelace',
  cms_password: 'correct horse battery',
};

export const newFqdn = () => `s-${randomBytes(6).toString('hex')}.localhost`;

/** Creates a site as its owner would, and waits until it is there. */
export function newSite(
  person: Person,
  more: { fqdn?: string; team_id?: string; is_free?: boolean } = {},
): Promise<Site> {
  return person.api.createSite({ wait: 60, body: { ...CMS, fqdn: newFqdn(), team_id: person.teamId, ...more } });
}

/** A plan with room, as if it had been bought. */
export async function putOnPlan(app: TestApp, teamId: string, plan_type_name: string): Promise<void> {
  await app.services.db.updateTable('teams').set({ plan_type_name }).where('id', '=', teamId).execute();
}
