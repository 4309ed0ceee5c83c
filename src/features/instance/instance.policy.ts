import { type Caller, hasRoleOnSite, type Role, roleOnSite } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { Failure } from '#core/errors.ts';
import { type Access, onRecord } from '#core/policy.ts';
import { siteNotFound } from './instance.schema.ts';
import { findSite, type SiteRow } from './instance.sql.ts';

const named = {
  missing: siteNotFound,
  find: (db: Db, { fqdn }: Record<string, string>) => findSite(db, fqdn as string),
  roleIn: roleOnSite,
};

/** Members of the team whose site the path names, from a role upwards, and whoever has that role on the site. */
export function onSite(role: Role): Access<SiteRow> {
  return onRecord<SiteRow>({ ...named, role });
}

type FindPart<Part> = (db: Db, site: SiteRow, input: Record<string, unknown>) => Promise<Part | undefined>;

/** The same where the path names the site and something of it; both are looked up before the rest of the request is read. */
export function onPartOfSite<Part>(role: Role, find: FindPart<Part>, missing: Failure) {
  return onPartOf(onSite(role), find, missing);
}

/** The same for whoever may rename the site. */
export function onPartOfOwnSite<Part>(find: FindPart<Part>, missing: Failure) {
  return onPartOf(onOwnSite, find, missing);
}

function onPartOf<Part>(
  onWhole: Access<SiteRow>,
  find: FindPart<Part>,
  missing: Failure,
): Access<{ site: SiteRow; part: Part }> {
  const { find: findSiteOf, ...access } = onWhole;
  return {
    ...access,
    errors: [...(access.errors ?? []), missing],
    find: async (db, caller, input, config) => {
      const site = (await findSiteOf?.(db, caller, input, config)) as SiteRow;
      const part = await find(db, site, input);
      if (part === undefined) throw missing();
      return { site, part };
    },
  };
}

/** Admins, and members on what they created themselves: whoever may delete or rename a site. */
export const onOwnSite: Access<SiteRow> = onRecord<SiteRow>({
  ...named,
  role: 'admin',
  orIf: { rule: 'a member who created it', test: mayRename },
});

export function mayRename(caller: Caller, site: SiteRow): boolean {
  if (hasRoleOnSite(caller, site, 'admin')) return true;
  return site.user_id === caller.userId && hasRoleOnSite(caller, site, 'member');
}
