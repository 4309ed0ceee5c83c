import type { Caller } from '#core/auth/caller.ts';
import { recheckRights, rightsChanged } from '#core/auth/revocation.ts';
import { hashToken, newToken } from '#core/auth/tokens.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import type { Services } from '#core/services.ts';
import { fingerprintOf, readPublicKey } from './public-key.ts';
import {
  MAX_KEYS,
  type NewSshKey,
  type SshKey,
  sshKeyExists,
  sshKeyNotFound,
  tooManySshKeys,
} from './ssh-key.schema.ts';
import { countSshKeys, deleteSshKey, insertSshKey, type SshKeyRow } from './ssh-key.sql.ts';

export { fingerprintOf, isKnownType, keyHash } from './public-key.ts';
export { findHolders, noteKeyUse } from './ssh-key.sql.ts';

const NAME_LENGTH = 100;

export async function addSshKey(db: Db, caller: Caller, input: NewSshKey): Promise<SshKey> {
  const key = await readPublicKey(input.public_key);
  if (typeof key === 'string') throw invalid(bodyFault('public_key', `Value error, ${key}`));
  if ((await countSshKeys(db, caller.userId)) >= MAX_KEYS) throw tooManySshKeys();
  // A comment may be anything, and is only a proposal.
  const comment = key.comment.replaceAll(/\p{C}/gu, '').slice(0, NAME_LENGTH).trim();
  const row = await insertSshKey(db, {
    user_id: caller.userId,
    name: input.name?.trim() || comment || key.type,
    key_type: key.type,
    key_hash: key.hash,
    token_hash: hashToken(newToken()),
  });
  if (!row) throw sshKeyExists();
  await recheckRights(db, caller);
  await recordChange(db, caller, row, 'added');
  return toSshKey(row);
}

export async function removeSshKey(db: Db, services: Services, caller: Caller, id: string): Promise<void> {
  const row = await deleteSshKey(db, id, caller.userId);
  if (!row) throw sshKeyNotFound();
  await recordChange(db, caller, row, 'removed');
  rightsChanged(db, services, caller.userId);
}

export function toSshKey({ id, name, key_type, key_hash, last_used_at, created_at }: SshKeyRow): SshKey {
  return { id, name, type: key_type, fingerprint: fingerprintOf(key_hash), last_used_at, created_at };
}

function recordChange(db: Db, caller: Caller, row: SshKeyRow, what: 'added' | 'removed'): Promise<string> {
  return recordEvent(db, {
    scope: 'account',
    event_type: `account.ssh_key_${what}`,
    activity: `${caller.fullName} ${what} the SSH key ${row.name}`,
    by: caller,
    item_id: row.id,
    detail: { name: row.name, fingerprint: fingerprintOf(row.key_hash) },
  });
}
