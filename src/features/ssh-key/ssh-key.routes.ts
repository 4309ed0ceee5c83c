import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { forAccount, withPassword } from '#core/policy.ts';
import { NewSshKey, SshKey, sshKeyExists, sshKeyNotFound, tooManySshKeys } from './ssh-key.schema.ts';
import { listSshKeys } from './ssh-key.sql.ts';
import { addSshKey, removeSshKey, toSshKey } from './ssh-key.ts';

const tag = 'credentials';

export const sshKeyOperations = [
  operation({
    id: 'listSshKeys',
    method: 'GET',
    path: '/ssh_key',
    tag,
    summary: 'The public keys that you come in by ssh with',
    access: forAccount,
    query: Type.Object(PageQuery),
    response: PageOf(SshKey),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listSshKeys(db, caller.userId, query);
      return page(query, count, rows.map(toSshKey));
    },
  }),
  operation({
    id: 'createSshKey',
    method: 'POST',
    path: '/ssh_key',
    tag,
    summary:
      'Add a public key: it opens the shell and the files, by ssh and sftp, of every site where you have the right to',
    access: withPassword,
    body: NewSshKey,
    response: SshKey,
    errors: [sshKeyExists, tooManySshKeys],
    handle: ({ db, caller, body }) => addSshKey(db, caller, body),
  }),
  operation({
    id: 'deleteSshKey',
    method: 'DELETE',
    path: '/ssh_key/{ssh_key_id}',
    tag,
    summary: 'Remove a public key; connections that came in with it end at once',
    access: withPassword,
    params: Type.Object({ ssh_key_id: Uuid }),
    response: Empty,
    errors: [sshKeyNotFound],
    async handle({ db, services, caller, params }) {
      await removeSshKey(db, services, caller, params.ssh_key_id);
      return {};
    },
  }),
];
