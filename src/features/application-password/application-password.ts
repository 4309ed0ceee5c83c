import { type Caller, seesSecrets } from '#core/auth/caller.ts';
import { recheckRights } from '#core/auth/revocation.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import { OutboundRefused } from '#core/outbound.ts';
import { teamNotFound } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { isPlatformName, isUnderSiteDomain, nameIsClaimed } from '#features/site-name/site-name.ts';
import { lockTeam } from '#features/team/team.ts';
import {
  type ApplicationPasswordChange,
  type ApplicationPasswordName,
  applicationPasswordExists,
  applicationPasswordNotFound,
  type DeletedApplicationPassword,
  hostedHere,
  type NewApplicationPassword,
  tooManyApplicationPasswords,
} from './application-password.schema.ts';
import {
  type ApplicationPasswordRow,
  countApplicationPasswords,
  deleteTeamPasswords,
  hostIsTaken,
  insertApplicationPassword,
  lockApplicationPassword,
  deleteApplicationPassword as remove,
  updateApplicationPassword as write,
} from './application-password.sql.ts';

export { chooseApplicationPassword, requireAllowed } from './application-password.policy.ts';
export { type ApplicationPasswordRow, findApplicationPasswords } from './application-password.sql.ts';

const MAX_PASSWORDS = 200;

export async function createApplicationPassword(
  db: Db,
  services: Services,
  caller: Caller,
  { team_id, fqdn, username, password }: NewApplicationPassword,
): Promise<ApplicationPasswordName> {
  await requireElsewhere(db, services, fqdn);
  // Two who want the last place come one after the other.
  if (!(await lockTeam(db, team_id))) throw teamNotFound();
  await recheckRights(db, caller, team_id);
  if ((await countApplicationPasswords(db, team_id)) >= MAX_PASSWORDS) throw tooManyApplicationPasswords();
  const password_sealed = services.secrets.seal(Buffer.from(password));
  const row = await insertApplicationPassword(db, { team_id, user_id: caller.userId, fqdn, username, password_sealed });
  if (!row) throw applicationPasswordExists();
  await record(db, caller, row, 'created', `stored an application password for ${fqdn}`);
  return { fqdn: row.fqdn, username: row.username };
}

export async function updateApplicationPassword(
  db: Db,
  services: Services,
  caller: Caller,
  id: string,
  { password, ...change }: ApplicationPasswordChange,
): Promise<ApplicationPasswordName> {
  const before = await lockApplicationPassword(db, id);
  if (!before) throw applicationPasswordNotFound();
  if (change.fqdn !== undefined && change.fqdn !== before.fqdn) {
    await requireElsewhere(db, services, change.fqdn);
    if (await hostIsTaken(db, before.team_id, change.fqdn, id)) throw applicationPasswordExists();
  }
  const sealed = password === undefined ? {} : { password_sealed: services.secrets.seal(Buffer.from(password)) };
  if (Object.keys({ ...change, ...sealed }).length === 0) return { fqdn: before.fqdn, username: before.username };
  const row = await write(db, id, { ...change, ...sealed });
  await record(db, caller, row, 'updated', `changed the application password for ${row.fqdn}`);
  return { fqdn: row.fqdn, username: row.username };
}

export async function deleteApplicationPassword(
  db: Db,
  services: Services,
  caller: Caller,
  id: string,
): Promise<DeletedApplicationPassword> {
  const row = await remove(db, id);
  if (!row) throw applicationPasswordNotFound();
  await recordDeletion(db, caller, row);
  const { password_sealed, ...rest } = row;
  return { ...rest, password: seesSecrets(caller) ? services.secrets.open(password_sealed).toString() : '' };
}

/** All of a team's, shown to nobody. */
export async function deleteApplicationPasswords(db: Db, caller: Caller, teamId: string): Promise<void> {
  for (const row of await deleteTeamPasswords(db, teamId)) await recordDeletion(db, caller, row);
}

const recordDeletion = (db: Db, caller: Caller, row: ApplicationPasswordRow) =>
  record(db, caller, row, 'deleted', `deleted the application password for ${row.fqdn}`);

/** Whatever is hosted here is reached without a password, and the platform's own hosts are nobody's site. */
async function requireElsewhere(db: Db, { config, outbound }: Services, fqdn: string): Promise<void> {
  const [name = ''] = fqdn.split(':');
  const fault = (msg: string) => invalid(bodyFault('fqdn', `Value error, ${msg}`));
  if (isUnderSiteDomain(config, name) || (await nameIsClaimed(db, name))) throw hostedHere();
  if (isPlatformName(config, name, [])) throw fault('this host belongs to the platform itself');
  try {
    outbound.checkUrl(`https://${fqdn}/`);
  } catch (error) {
    if (error instanceof OutboundRefused) throw fault(error.clause);
    throw error;
  }
}

async function record(
  db: Db,
  caller: Caller,
  { id, team_id, fqdn, username }: ApplicationPasswordRow,
  what: 'created' | 'updated' | 'deleted',
  did: string,
): Promise<void> {
  await recordEvent(db, {
    scope: 'team',
    event_type: `application_password.${what}`,
    activity: `${caller.fullName} ${did}`,
    by: caller,
    team_id,
    fqdn,
    item_id: id,
    detail: { fqdn, username },
  });
}
