import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { hashPassword } from '#core/auth/password.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { type Call, operation } from '#core/http/operation.ts';
import { Empty, say, Uuid } from '#core/http/schema.ts';
import { bySession, inTeam, verified, withPassword } from '#core/policy.ts';
import { checkOwnPassword, tooManyFailures } from '#features/credential/credential.ts';
import { memberNotFound } from '#features/team/member.schema.ts';
import { Team } from '#features/team/team.schema.ts';
import { operatorStays } from './account.schema.ts';
import { deleteAccount, deleteTeam } from './ending.ts';
import { newOwnerBlocked, newOwnerHasFree, newOwnerUnconfirmed, transferTeam } from './transfer.ts';

const Password = say(Type.String({ minLength: 1, maxLength: 200 }), 'Your password, once more');

async function requirePassword({ db, services, caller }: Pick<Call, 'db' | 'services' | 'caller'>, password: string) {
  if (!(await checkOwnPassword(db, services, caller, password)))
    throw invalid(bodyFault('password', 'Value error, this is not your password'));
}

/** What takes something from somebody for good is asked of whoever sits there, and not of a session that was left open. */
export const endingOperations = [
  operation({
    id: 'transferTeam',
    method: 'POST',
    path: '/team/{team_id}/transfer',
    tag: 'teams',
    summary: 'Make another member the owner of a team; you stay as an admin, and both of you get a mail',
    access: verified(bySession(inTeam('owner'))),
    params: Type.Object({ team_id: Uuid }),
    body: Type.Object({
      user_id: say(Uuid, 'Who owns it from now on; they are in the team already'),
      password: Password,
    }),
    response: Team,
    errors: [memberNotFound, newOwnerUnconfirmed, newOwnerBlocked, newOwnerHasFree, tooManyFailures],
    prepare: (call) => requirePassword(call, call.body.password),
    handle: ({ db, services, caller, subject: teamId, body }) =>
      transferTeam(db, services, caller, teamId, body.user_id),
  }),
  operation({
    id: 'deleteTeam',
    method: 'POST',
    path: '/team/{team_id}/delete',
    tag: 'teams',
    summary: 'Delete a team with its sites and all that is in it; an operator can bring sites back for seven days',
    access: bySession(inTeam('owner')),
    params: Type.Object({ team_id: Uuid }),
    body: Type.Object({ password: Password }),
    response: Empty,
    errors: [tooManyFailures],
    prepare: (call) => requirePassword(call, call.body.password),
    async handle({ db, services, caller, subject: teamId }) {
      await deleteTeam(db, services, caller, teamId);
      return {};
    },
  }),
  operation({
    id: 'deleteAccount',
    method: 'POST',
    path: '/me/delete',
    tag: 'account',
    summary: 'Delete your account, with the teams that you own and their sites',
    access: withPassword,
    body: Type.Object({ password: Password }),
    response: Empty,
    errors: [tooManyFailures, operatorStays],
    prepare: async (call) => {
      await requirePassword(call, call.body.password);
      return hashPassword(randomBytes(32).toString('hex'));
    },
    async handle({ db, services, caller, prepared }) {
      await deleteAccount(db, services, caller, prepared);
      return {};
    },
  }),
];
