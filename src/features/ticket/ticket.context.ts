import { type Caller, isAtLeast } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { maskText } from '#core/mask-secrets.ts';
import type { Services } from '#core/services.ts';
import { listAnyEvents } from '#features/event/event.ts';
import { busyWord } from '#features/hold/hold.ts';
import { findSiteById, type SiteRow } from '#features/instance/instance.ts';
import { readSiteLog } from '#features/site-log/site-log.ts';
import { findTeam, type TeamRow } from '#features/team/team.ts';
import type { TicketContext } from './ticket.schema.ts';
import { roleOnTicket, type TicketRow } from './ticket.sql.ts';

const SHOWN_CHANGES = 6;
const SHOWN_ERRORS = 5;
const READ_ERRORS = 50;
const MAX_LINE = 2_000;
const MAX_MESSAGE = 300;

/** What whoever answers would look up first. A host that does not answer keeps nobody from reading the ticket. */
export async function contextOf(db: Db, services: Services, caller: Caller, ticket: TicketRow): Promise<TicketContext> {
  const team = (await findTeam(db, ticket.team_id)) as TeamRow;
  const found = ticket.site_live_id === null ? undefined : await findSiteById(db, ticket.site_live_id);
  const site = found?.team_id === ticket.team_id ? found : undefined;
  // Of a site that is gone too: what else happened in the team is not for whoever is limited to some sites.
  const { team_id, site_live_id } = ticket;
  const of = site_live_id === null ? { team_id } : { team_id, site_id: site_live_id };
  const { events } = await listAnyEvents(db, caller, of, { page: 1, size: SHOWN_CHANGES });
  // The log is for members and above, as everywhere.
  const seesLog = caller.isSuperuser || isAtLeast(roleOnTicket(caller, ticket), 'member');
  return {
    team: { id: team.id, name: team.name, plan_type_name: team.plan_type_name },
    site: site ? viewOf(site) : null,
    errors: site && seesLog ? await lastErrors(services, site) : [],
    changes: events,
  };
}

const viewOf = (site: SiteRow) => ({
  id: site.id,
  fqdn: site.fqdn,
  is_sleeping: site.is_sleeping,
  busy: busyWord(site.busy),
  wordpress_version: site.core_version,
  php_version: site.php_version,
  created_at: site.created_at,
});

async function lastErrors({ hosts, log }: Services, site: SiteRow): Promise<TicketContext['errors']> {
  try {
    const { results } = await readSiteLog(hosts, site, { kind: 'error', size: READ_ERRORS });
    const seen = new Map<string, TicketContext['errors'][number]>();
    for (const entry of results) {
      if (entry.kind !== 'error') continue;
      const { at, level, file, line } = entry;
      const message = maskText((entry.message.split('\n', 1)[0] ?? '').slice(0, MAX_LINE)).slice(0, MAX_MESSAGE);
      const key = `${level} ${file} ${line} ${message}`;
      if (!seen.has(key)) seen.set(key, { at, level, message, file, line });
    }
    return [...seen.values()].slice(0, SHOWN_ERRORS);
  } catch (error) {
    log.info({ err: error, site_id: site.id }, 'the log of a site could not be read for a ticket');
    return [];
  }
}
