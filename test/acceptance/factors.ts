import { hash, randomBytes } from 'node:crypto';
import type { Secrets } from '#core/secrets.ts';
import { hashRecoveryCode } from '#features/second-factor/recovery-code.ts';
import { codeOf, stepAt } from '#features/second-factor/totp.ts';
import { answerCreation, answerRequest, newPasskey } from '#testkit/clients/software-authenticator.ts';
import type { World } from './world.ts';

/** What a request about a second factor or an address needs and may use up, written straight into the database. */
type Person = ReturnType<World['person']>;

const later = () => new Date(Date.now() + 600_000);
const secretsOf = ({ app }: World): Secrets => app.services.secrets;
const rpOf = ({ app }: World) => ({ rpId: new URL(app.url).hostname, origin: new URL(app.url).origin });

async function challengeOf(
  world: World,
  userId: string | null,
  purpose: string,
): Promise<{ token: string; nonce: string }> {
  const nonce = randomBytes(32).toString('base64url');
  const row = { user_id: userId, purpose, nonce, expires_at: later() };
  const { id } = await world.app.services.db
    .insertInto('sign_in_challenges')
    .values(row)
    .returning('id')
    .executeTakeFirstOrThrow();
  return { token: secretsOf(world).signId('sign-in challenge', id), nonce };
}

/** Somebody who has shown their password and is asked for more. */
export async function secondStep(world: World): Promise<{ challenge: string; recovery_code: string }> {
  const person = await world.user();
  const { id } = person;
  await passkeyOf(world, person);
  const recovery_code = randomBytes(6).toString('hex');
  const code_hash = hashRecoveryCode(secretsOf(world), recovery_code);
  await world.app.services.db.insertInto('recovery_codes').values({ user_id: id, code_hash }).execute();
  return { challenge: (await challengeOf(world, id, 'second_step')).token, recovery_code };
}

/** A passkey of this person, in the table. */
export async function passkeyOf(
  world: World,
  person: Person,
): Promise<{ id: string; soft: ReturnType<typeof newPasskey> }> {
  const soft = newPasskey();
  const { x = '', y = '' } = soft.publicKey.export({ format: 'jwk' });
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const row = { user_id: person.id, credential_id: soft.credentialId, public_key: cose, name: 'laptop' };
  const db = world.app.services.db;
  // Nobody has more than twenty, and a walk makes more; the newest may be those of requests that are yet to be sent.
  const newest = db
    .selectFrom('passkeys')
    .select('id')
    .where('user_id', '=', person.id)
    .orderBy('created_at', 'desc')
    .limit(5);
  await db.deleteFrom('passkeys').where('user_id', '=', person.id).where('id', 'not in', newest).execute();
  const { id } = await db.insertInto('passkeys').values(row).returning('id').executeTakeFirstOrThrow();
  return { id, soft };
}

export async function passkeySignIn(world: World) {
  const { soft } = await passkeyOf(world, await world.user());
  const { token, nonce } = await challengeOf(world, null, 'passkey_sign_in');
  const { rpId, origin } = rpOf(world);
  return { challenge: token, ...answerRequest(soft, { challenge: nonce, rpId }, origin) };
}

/** It is not their first factor: that would end the sessions that other tests use. */
export async function madePasskey(world: World, person: Person) {
  await passkeyOf(world, person);
  const { token, nonce } = await challengeOf(world, person.id, 'new_passkey');
  const { rpId, origin } = rpOf(world);
  return {
    challenge: token,
    name: 'phone',
    ...answerCreation(newPasskey(), { challenge: nonce, rp: { id: rpId } }, origin),
  };
}

/** An app that is set up, or is about to be; the code that it shows. */
export async function totpOf(world: World, person: Person, { confirmed }: { confirmed: boolean }): Promise<string> {
  const db = world.app.services.db;
  // The same each time: two requests may be made before the first is sent.
  const secret = hash('sha1', person.id, 'buffer');
  await passkeyOf(world, person);
  const row = {
    secret_sealed: secretsOf(world).seal(secret),
    confirmed_at: confirmed ? new Date() : null,
    last_step: 0,
  };
  await db
    .insertInto('totp_secrets')
    .values({ user_id: person.id, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
  return codeOf(secret, stepAt(Date.now()));
}

export async function noTotp(world: World, person: Person): Promise<void> {
  await world.app.services.db.deleteFrom('totp_secrets').where('user_id', '=', person.id).execute();
}

export async function sessionOf(world: World, person: Person): Promise<string> {
  const row = {
    token_hash: randomBytes(32),
    kind: 'session',
    scopes: ['read'],
    user_id: person.id,
    expires_at: later(),
  };
  const db = world.app.services.db;
  return (await db.insertInto('credentials').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

/** The address may have been changed by an earlier request. */
export async function emailOf(world: World, { id }: Person): Promise<string> {
  const db = world.app.services.db;
  return (await db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email;
}

/** A token that confirms a change of address, or takes one back. */
export async function emailChangeOf(
  world: World,
  person: Person,
  { confirmed }: { confirmed: boolean },
): Promise<string> {
  const old_email = await emailOf(world, person);
  const row = {
    user_id: person.id,
    old_email: confirmed ? `before-${randomBytes(6).toString('hex')}@example.com` : old_email,
    new_email: `after-${randomBytes(6).toString('hex')}@example.com`,
    expires_at: later(),
    confirmed_at: confirmed ? new Date() : null,
  };
  const db = world.app.services.db;
  const { id } = await db.insertInto('email_changes').values(row).returning('id').executeTakeFirstOrThrow();
  return secretsOf(world).signId(confirmed ? 'email_revert' : 'email_change', id);
}

export const unsubscribeQuery = (world: World, { id }: Person) => ({
  kind: 'usage',
  token: secretsOf(world).signId('unsubscribe usage', id),
});
