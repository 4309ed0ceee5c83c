import type { Secrets } from '#core/secrets.ts';
import type { Services } from '#core/services.ts';
import type { S3Account } from '#timemachine/stores/s3-client.ts';
import { keptUnder } from '../backup-store.ts';
import type { PodInput } from './pod-calls.ts';

/**
 * Which objects of the bucket a pod may have requests signed for: those below the name of its site, all of S3's words that the store uses and
 * no others, and, where the platform has lent it what another host keeps, to read that for a while.
 */
const LENT_MS = 15 * 60_000;
const PURPOSE = 'lent backups';
const READING = ['GET', 'HEAD'];
const WORDS_OF_OBJECTS = ['uploads', 'uploadId', 'partNumber'];
const WORDS_OF_LISTS = ['list-type', 'prefix', 'delimiter', 'continuation-token', 'uploads'];

/** For the pod of a site, to read what a host keeps; undefined where that is the site's own. */
export function lend({ sign }: Pick<Secrets, 'sign'>, siteId: string, keptBy: string): string | undefined {
  const name = keptUnder(keptBy);
  if (name === siteId) return undefined;
  const lent = `${name}:${Date.now() + LENT_MS}`;
  return `${lent}:${sign(PURPOSE, `${siteId}:${lent}`)}`;
}

function nameLent({ isSigned }: Pick<Secrets, 'isSigned'>, siteId: string, grant: string): string | undefined {
  const [name = '', untilMs = '', signature = ''] = grant.split(':');
  if (!isSigned(PURPOSE, `${siteId}:${name}:${untilMs}`, signature)) return undefined;
  return Number(untilMs) > Date.now() ? name : undefined;
}

/** With what the request may be signed; undefined where it may not. */
export function placeToSign(
  { config, secrets }: Pick<Services, 'config' | 'secrets'>,
  siteId: string,
  { method, key, query, grant }: PodInput<'signBackup'>,
): S3Account | undefined {
  const { backupStore } = config;
  if (backupStore.kind !== 's3') return undefined;
  const { account } = backupStore;
  const name = grant === undefined ? siteId : nameLent(secrets, siteId, grant);
  if (name === undefined || (name !== siteId && !READING.includes(method))) return undefined;
  const below = `${account.prefix}${name}/`;
  const isOf = (words: readonly string[]) => Object.keys(query).every((word) => words.includes(word));
  const may =
    key === undefined
      ? method === 'GET' && isOf(WORDS_OF_LISTS) && isBelow(query.prefix ?? '', below)
      : isOf(WORDS_OF_OBJECTS) && isBelow(key, below);
  return may ? account : undefined;
}

/** S3 knows no way up, but what speaks S3 on a disk may. */
const isBelow = (key: string, below: string) =>
  key.startsWith(below) && !key.split('/').some((segment) => segment === '.' || segment === '..');
