import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import { bodyFault, invalid } from '#core/errors.ts';
import { recordEvent } from '#core/events/events.ts';
import type { GitCredential, GitUrl } from '#core/git.ts';
import { type GitHostAccount, GitHostFailed, type TokenProvider } from '#core/git-hosts.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';
import type { Services } from '#core/services.ts';
import { newSshKey } from '#integrations/git/ssh-key.ts';
import {
  badGitToken,
  type GitAccount,
  gitAccountExists,
  gitAccountNotFound,
  gitHostFailed,
  gitHostTimeout,
  type NewGitAccount,
  tooManyGitAccounts,
} from './git-account.schema.ts';
import {
  countGitAccounts,
  deleteGitAccounts,
  findGitAccounts,
  type GitAccountRow,
  insertGitAccount,
  deleteGitAccount as remove,
} from './git-account.sql.ts';

export { findGitAccount, findGitAccounts, type GitAccountRow, setProblem } from './git-account.sql.ts';

const MAX_ACCOUNTS = 20;
const DEFAULT_HOSTS: Record<string, string> = { github: 'https://github.com', gitlab: 'https://gitlab.com' };

/** What is known of an account once its host has been asked. The secret is sealed already. */
export interface PreparedAccount {
  provider: GitAccount['provider'];
  base_url: string;
  login: string | null;
  public_key: string | null;
  secret_sealed: Buffer;
}

/** Tries the token at its host, or makes a key. Asks the outside, so it comes before the transaction. */
export async function prepareGitAccount(services: Services, input: NewGitAccount): Promise<PreparedAccount> {
  const { provider } = input;
  if (provider === 'ssh') return prepareKey(services, input);
  const baseUrl = readBaseUrl(input.base_url ?? DEFAULT_HOSTS[provider] ?? '', 'https', services.outbound);
  const token = input.token?.trim() ?? '';
  if (!/^[\x21-\x7e]+$/.test(token)) throw invalid(bodyFault('token', 'Value error, name a token of that host'));
  const login = await askWho(services, { provider, baseUrl, token });
  const secret_sealed = services.secrets.seal(Buffer.from(token));
  return { provider, base_url: baseUrl, login, public_key: null, secret_sealed };
}

function prepareKey({ secrets, outbound, config }: Services, input: NewGitAccount): PreparedAccount {
  if (input.token) throw invalid(bodyFault('token', 'Value error, ssh takes none: add our public key at the host'));
  const base_url = readBaseUrl(input.base_url ?? '', 'ssh', outbound);
  const { publicKey, privateKey } = newSshKey(`siteyard@${new URL(config.baseUrl).hostname}`);
  const secret_sealed = secrets.seal(Buffer.from(privateKey));
  return { provider: 'ssh', base_url, login: null, public_key: publicKey, secret_sealed };
}

/** A host in one spelling, so that it is the same one in every URL. */
function readBaseUrl(text: string, scheme: 'https' | 'ssh', outbound: Outbound): string {
  const fault = (msg: string) => invalid(bodyFault('base_url', `Value error, ${msg}`));
  const example = `${scheme}://git.example.com`;
  const rest = new RegExp(`^${scheme}://([^/?#@\\\\\\s]+)(/[A-Za-z0-9._~/-]*)?$`, 'i').exec(text.trim());
  if (!rest || (scheme === 'ssh' && (rest[2] ?? '/') !== '/')) throw fault(`must look like ${example}`);
  try {
    // Read as https whatever it is, since of other schemes URL leaves the host as it was written.
    const url = outbound.checkUrl(`https://${rest[1]}${rest[2] ?? ''}`);
    if (scheme === 'ssh') return `ssh://${url.hostname}${portOf(rest[1] as string, 22)}`;
    return url.href.replace(/\/+$/, '');
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    throw fault(error.clause);
  }
}

const portOf = (host: string, usual: number) => {
  const port = Number(/:(\d+)$/.exec(host)?.[1] ?? usual);
  return port === usual ? '' : `:${port}`;
};

async function askWho({ gitHosts }: Services, account: GitHostAccount): Promise<string> {
  try {
    return await gitHosts.whoIs(account);
  } catch (error) {
    if (!(error instanceof GitHostFailed)) throw error;
    const { message, reason } = error;
    if (reason === 'bad_token') throw badGitToken({ faults: [bodyFault('token', `Value error, ${message}`)] });
    if (reason === 'refused') throw invalid(bodyFault('base_url', `Value error, ${message}`));
    throw reason === 'timeout' ? gitHostTimeout({ message }) : gitHostFailed({ message });
  }
}

export async function createGitAccount(db: Db, caller: Caller, account: PreparedAccount): Promise<GitAccount> {
  if ((await countGitAccounts(db, caller.userId)) >= MAX_ACCOUNTS) throw tooManyGitAccounts();
  const row = await insertGitAccount(db, { ...account, user_id: caller.userId });
  if (!row) throw gitAccountExists();
  await recordChange(db, caller, row, 'linked');
  return row;
}

export async function deleteGitAccount(db: Db, caller: Caller, id: string): Promise<void> {
  const row = await remove(db, caller.userId, id);
  if (!row) throw gitAccountNotFound();
  await recordChange(db, caller, row, 'unlinked');
}

/** All of them. */
export async function unlinkGitAccounts(db: Db, caller: Caller): Promise<void> {
  for (const row of await deleteGitAccounts(db, caller.userId)) await recordChange(db, caller, row, 'unlinked');
}

async function recordChange(db: Db, caller: Caller, row: GitAccount, verb: 'linked' | 'unlinked'): Promise<void> {
  await recordEvent(db, {
    scope: 'account',
    event_type: `account.git_${verb}`,
    activity: `${caller.fullName} ${verb} a Git account at ${new URL(row.base_url).host}`,
    by: caller,
    item_id: row.id,
  });
}

/** The account of this user that opens a repository: that of its very host and port, or none. */
export async function accountFor(db: Db, userId: string, url: GitUrl): Promise<GitAccountRow | undefined> {
  if (url.kind === 'file') return undefined;
  const accounts = await findGitAccounts(db, userId);
  return accounts.find((each) => (each.provider === 'ssh') === (url.kind === 'ssh') && isOfHost(each, url));
}

export function credentialOf(services: Services, account: GitAccountRow): GitCredential {
  const secret = services.secrets.open(account.secret_sealed).toString();
  if (account.provider === 'ssh') return { privateKey: secret };
  return { username: USERNAMES[account.provider] ?? account.login ?? 'git', token: secret };
}

/** Whose name goes with a token instead of a password; Gitea wants the account's own. */
const USERNAMES: Record<string, string> = { github: 'x-access-token', gitlab: 'oauth2' };

function isOfHost({ base_url }: GitAccountRow, { kind, host, port }: GitUrl): boolean {
  const base = new URL(base_url);
  const usual = kind === 'ssh' ? 22 : 443;
  return base.hostname.replaceAll(/[[\]]/g, '') === host && Number(base.port || usual) === port;
}

/** The account as its host is asked, or undefined for a key, which no host can be asked with. */
export function hostAccountOf({ secrets }: Services, row: GitAccountRow): GitHostAccount | undefined {
  if (row.provider === 'ssh') return undefined;
  return {
    provider: row.provider as TokenProvider,
    baseUrl: row.base_url,
    token: secrets.open(row.secret_sealed).toString(),
  };
}
