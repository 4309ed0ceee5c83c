import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Host, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { inTeam, verified } from '#core/policy.ts';
import { chooseApplicationPassword, onApplicationPassword } from './application-password.policy.ts';
import {
  ApplicationPassword,
  ApplicationPasswordChange,
  ApplicationPasswordName,
  ambiguousTeam,
  applicationPasswordExists,
  DeletedApplicationPassword,
  hostedHere,
  NewApplicationPassword,
  tooManyApplicationPasswords,
} from './application-password.schema.ts';
import { listApplicationPasswords } from './application-password.sql.ts';
import {
  createApplicationPassword,
  deleteApplicationPassword,
  updateApplicationPassword,
} from './application-password.ts';

const tag = 'application passwords';
const HostPath = Type.Object({ fqdn: Host });
const TeamChoice = Type.Object({ team_id: Type.Optional(Uuid) });

export const applicationPasswordOperations = [
  operation({
    id: 'listApplicationPasswords',
    method: 'GET',
    path: '/team/{team_id}/application_password',
    tag,
    summary: 'The hosts elsewhere that a team has a password for; the passwords are not shown',
    access: inTeam('viewer'),
    params: Type.Object({ team_id: Uuid }),
    query: Type.Object(PageQuery),
    response: PageOf(ApplicationPassword),
    async handle({ db, subject: teamId, query, page }) {
      const { count, rows } = await listApplicationPasswords(db, teamId, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'createApplicationPassword',
    method: 'POST',
    path: '/application_password',
    tag,
    summary: 'Store a password for a site that is hosted elsewhere, or for a storefront',
    access: verified(inTeam('member', 'body')),
    body: NewApplicationPassword,
    response: ApplicationPasswordName,
    errors: [applicationPasswordExists, hostedHere, tooManyApplicationPasswords],
    handle: ({ db, services, caller, body }) => createApplicationPassword(db, services, caller, body),
  }),
  operation({
    id: 'updateApplicationPassword',
    method: 'PUT',
    path: '/application_password/{fqdn}',
    tag,
    summary: 'Change the password for a host; team_id says which where several of your teams have one',
    access: verified(onApplicationPassword('member')),
    params: HostPath,
    query: TeamChoice,
    body: ApplicationPasswordChange,
    response: ApplicationPasswordName,
    errors: [ambiguousTeam, applicationPasswordExists, hostedHere],
    async handle({ db, services, caller, subject, query, body }) {
      const { id } = chooseApplicationPassword(subject, caller, 'member', query.team_id);
      return updateApplicationPassword(db, services, caller, id, body);
    },
  }),
  operation({
    id: 'deleteApplicationPassword',
    method: 'DELETE',
    path: '/application_password/{fqdn}',
    tag,
    summary: 'Delete the password for a host and show it a last time',
    access: onApplicationPassword('member'),
    params: HostPath,
    query: TeamChoice,
    response: DeletedApplicationPassword,
    errors: [ambiguousTeam],
    async handle({ db, services, caller, subject, query }) {
      const { id } = chooseApplicationPassword(subject, caller, 'member', query.team_id);
      return deleteApplicationPassword(db, services, caller, id);
    },
  }),
];
