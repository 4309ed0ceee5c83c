import { createHmac } from 'node:crypto';
import type { Account } from './site-databases.ts';

/** What a site is called on the server. Its id is a UUID, and a name has no dashes, so that it needs no quotes anywhere. */
export interface SiteNames {
  database: string;
  draft: string;
  /** What a draft was put in place of. */
  old: string;
  site: Account;
  /** Ours, for this site alone. */
  keeper: Account;
}

const DATABASE = /^site_([0-9a-z]{8})([0-9a-z]{4})([0-9a-z]{4})([0-9a-z]{4})([0-9a-z]{12})$/;

/** Passwords are derived and kept nowhere. */
export function namesOf(siteId: string, secret: string): SiteNames {
  const id = siteId.replaceAll('-', '').toLowerCase();
  if (!DATABASE.test(`site_${id}`)) throw new Error(`${siteId} is no id of a site`);
  const account = (user: string): Account => {
    const password = createHmac('sha256', secret).update(`mariadb ${user}`).digest('base64url');
    return { user, password };
  };
  return {
    database: `site_${id}`,
    draft: `site_${id}_draft`,
    old: `site_${id}_old`,
    // Not as the database: the log of changes has statements about accounts too.
    site: account(`user_${id}`),
    keeper: account(`keep_${id}`),
  };
}

/** Undefined for a database that is no site's. */
export function siteOfDatabase(name: string): string | undefined {
  return DATABASE.exec(name)?.slice(1).join('-');
}
