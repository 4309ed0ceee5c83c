import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Empty, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { forAccount, verified } from '#core/policy.ts';
import {
  badGitToken,
  GitAccount,
  gitAccountExists,
  gitAccountNotFound,
  gitHostFailed,
  gitHostTimeout,
  NewGitAccount,
  tooManyGitAccounts,
} from './git-account.schema.ts';
import { listGitAccounts } from './git-account.sql.ts';
import { createGitAccount, deleteGitAccount, prepareGitAccount } from './git-account.ts';

const tag = 'git';

export const gitAccountOperations = [
  operation({
    id: 'listGitAccounts',
    method: 'GET',
    path: '/git_account',
    tag,
    summary: 'The accounts at Git hosts that you linked',
    access: forAccount,
    query: Type.Object(PageQuery),
    response: PageOf(GitAccount),
    async handle({ db, caller, query, page }) {
      const { count, rows } = await listGitAccounts(db, caller.userId, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'createGitAccount',
    method: 'POST',
    path: '/git_account',
    tag,
    summary: 'Link an account at a Git host by a token, which is tried first, or by a key that we make',
    access: verified(forAccount),
    body: NewGitAccount,
    response: GitAccount,
    errors: [gitAccountExists, tooManyGitAccounts, badGitToken, gitHostFailed, gitHostTimeout],
    prepare: ({ services, body }) => prepareGitAccount(services, body),
    handle: ({ db, caller, prepared }) => createGitAccount(db, caller, prepared),
  }),
  operation({
    id: 'deleteGitAccount',
    method: 'DELETE',
    path: '/git_account/{git_account_id}',
    tag,
    summary: 'Remove a linked account, and with it its token or key',
    access: forAccount,
    params: Type.Object({ git_account_id: Uuid }),
    response: Empty,
    errors: [gitAccountNotFound],
    async handle({ db, caller, params }) {
      await deleteGitAccount(db, caller, params.git_account_id);
      return {};
    },
  }),
];
