import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backup, type Client, createClient } from '#sdk';
import { CMS, newFqdn } from '#testkit/app/sites.ts';
import { visit } from '#testkit/clients/visit.ts';
import { prepareWordPress } from '#testkit/drivers/wordpress-cache.ts';
import { Random, SEED } from '#testkit/random.ts';
import { type Fault, faultsOf, HOSTILE_FILES, SHORT_FAULTS, type Shaken } from './faults.ts';
import { Neighbour } from './neighbour.ts';
import { Oracle, percentile } from './oracle.ts';
import { ShakenPlatform } from './shaken-platform.ts';
import { onSmallDisk } from './small-disk.ts';

/**
 * Everything goes wrong, one thing after another and at random, while people write and a neighbour's visitors look on. In the end all
 * that was acknowledged is there, and all works again within a minute. Needs root, for a disk that can be filled.
 * Of a minute or more, each kind of fault has to have happened, the newest backup can be restored, and the neighbour's slowest
 * looks took at most three times as long.
 *
 *   npm run chaos                 30 minutes with PHP
 *   SECONDS=300 RUNTIME=memory npm run chaos
 */
export interface Outcome {
  faults: string[];
  summary: string;
}

const BACK_MS = 60_000;
/** It is memory: the short form runs beside other tests. */
const DISK_MB = { short: 600, long: 3_000 };
/** A clock that is moved writes every row anew (shifted-times.ts): of 80,000 tickets that alone filled the disk. */
const TICKET_EVERY_MS = { short: 20, long: 250 };
const LONG_SECONDS = 60;
/** So many times as long the neighbour's page may take while all this happens. */
const SLOWER_AT_MOST = 3;

/** In a process of its own, since the small disk is one of that process. */
export async function runChaos(seconds: number, runtime: string, say: (line: string) => void): Promise<Outcome> {
  // The first site would wait for it, for longer than anybody waits for a site.
  if (runtime !== 'memory') await prepareWordPress();
  const scratch = mkdtempSync(join(tmpdir(), 'siteyard-chaos-'));
  chmodSync(scratch, 0o711);
  const disk = join(scratch, 'disk');
  const [file = '', ...args] = [
    ...onSmallDisk(disk, seconds < LONG_SECONDS ? DISK_MB.short : DISK_MB.long),
    process.execPath,
    '--disable-warning=ExperimentalWarning',
  ];
  const child = spawn(file, [...args, import.meta.filename, disk, String(seconds), runtime], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      if (line.startsWith('{')) outcome = JSON.parse(line) as Outcome;
      else say(line);
    }
  });
  let outcome: Outcome = { faults: ['it ended without a word'], summary: '' };
  await once(child, 'close');
  rmSync(scratch, { recursive: true, force: true });
  return outcome;
}

async function shake(disk: string, seconds: number, runtime: string): Promise<Outcome> {
  const dataDir = join(disk, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  const random = new Random(SEED);
  const isLong = seconds >= LONG_SECONDS;
  const platform = await ShakenPlatform.create(dataDir, runtime);
  await platform.start();
  const [owner, neighbour] = [await settle(platform, 'owner'), await settle(platform, 'neighbour')];
  const hostile = isLong ? await settle(platform, 'hostile') : neighbour;
  if (runtime !== 'memory') await plant(hostile.api, hostile.fqdn);
  const oracle = new Oracle(`${platform.url}/f/api/v1`, owner.token, owner.teamId, owner.fqdn);
  const visitor = new Neighbour(platform.url, neighbour.fqdn);
  const stop = new AbortController();
  const ticketEveryMs = TICKET_EVERY_MS[isLong ? 'long' : 'short'];
  const people = [
    oracle.writeTickets(stop.signal, ticketEveryMs),
    oracle.writeTickets(stop.signal, ticketEveryMs),
    oracle.writeFiles(stop.signal),
  ];
  await sleep(Math.min(seconds * 100, 20_000));
  visitor.shake();
  const shaken: Shaken = { platform, random, hostile, longestMs: isLong ? 20_000 : 1_000 };
  const kinds = faultsOf(runtime);
  const { happened, failed } = isLong
    ? await shakeFor(shaken, kinds, seconds, visitor)
    : await shakeOnce(shaken, kinds);
  const faults = (isLong ? Object.keys(kinds) : SHORT_FAULTS)
    .filter((name) => !happened[name])
    .map((name) => `it never happened that ${name}`);
  const backMs = await timeToComeBack(platform, owner.api, owner.fqdn, neighbour.fqdn, oracle, !isLong);
  if (backMs === undefined)
    faults.push(`not all was back after ${BACK_MS / 1000} s:\n${platform.output().slice(-2_000)}`);
  stop.abort();
  await Promise.all([...people, visitor.leave()]);
  if (isLong) faults.push(...(await tryRestore(owner.api, owner.fqdn)));
  const client = await platform.connect();
  const lost = await oracle.findLost(platform.url, async (text) => (await client.query(text)).rows);
  await client.end();
  faults.push(...lost, ...oracle.faults);
  const end = await platform.stop();
  if (end !== 0) faults.push(`it ended with ${end}`);
  const [calm, troubled] = [percentile(visitor.calmMs, 0.99), percentile(visitor.shakenMs, 0.99)];
  if (isLong && !(troubled / calm <= SLOWER_AT_MOST))
    faults.push(`the neighbour's page took ${(troubled / calm).toFixed(1)} times as long, at most ${SLOWER_AT_MOST}`);
  const summary =
    `${sum(happened)} faults (and ${sum(failed)} that failed) in ${seconds} s (seed ${SEED}): ${oracle.tickets.size} tickets and ` +
    `${oracle.files.size} files acknowledged, ${lost.length} lost; all back after ${backMs === undefined ? 'never' : `${Math.round(backMs / 100) / 10} s`}; ` +
    `cached page of the neighbour p50 ${percentile(visitor.calmMs, 0.5).toFixed(1)} -> ${percentile(visitor.shakenMs, 0.5).toFixed(1)} ms, p99 ${calm.toFixed(1)} -> ` +
    `${troubled.toFixed(1)} ms (${(troubled / calm).toFixed(1)} x), ${visitor.shakenMs.length} looks, ${visitor.failures} without an answer. ${JSON.stringify({ happened, failed })}`;
  return { faults, summary };
}

type Counts = Record<string, number>;

/** What happened, and what was to happen and failed, by name. */
interface Happened {
  happened: Counts;
  failed: Counts;
}

const sum = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

async function happen(shaken: Shaken, faults: Record<string, Fault>, name: string, so: Happened): Promise<void> {
  console.log(name);
  const counts = await (faults[name] as Fault)(shaken).then(
    () => so.happened,
    (error: Error) => {
      console.log(`  failed: ${error.message}`);
      return so.failed;
    },
  );
  counts[name] = (counts[name] ?? 0) + 1;
}

async function shakeOnce(shaken: Shaken, faults: Record<string, Fault>): Promise<Happened> {
  const so: Happened = { happened: {}, failed: {} };
  for (const name of SHORT_FAULTS.toSorted(() => shaken.random.fraction() - 0.5))
    await happen(shaken, faults, name, so);
  return so;
}

async function shakeFor(
  shaken: Shaken,
  faults: Record<string, Fault>,
  seconds: number,
  visitor: Neighbour,
): Promise<Happened> {
  const so: Happened = { happened: {}, failed: {} };
  const endMs = performance.now() + seconds * 1000;
  // Each at least once where there is time, in an order up to chance.
  let left: string[] = [];
  while (performance.now() < endMs) {
    if (left.length === 0) left = Object.keys(faults).toSorted(() => shaken.random.fraction() - 0.5);
    const name = left.pop() as string;
    const looks = visitor.shakenMs.length;
    await happen(shaken, faults, name, so);
    await sleep(shaken.random.below(3_000));
    const meanwhile = visitor.shakenMs.slice(looks);
    console.log(
      `  the neighbour's page meanwhile: ${meanwhile.length} looks, p99 ${percentile(meanwhile, 0.99).toFixed(1)} ms`,
    );
  }
  return so;
}

/** A team of their own, with a site. */
async function settle(platform: ShakenPlatform, name: string) {
  const [email, password] = [`${name}@example.com`, 'a long enough password'];
  const anonymous = createClient({ baseUrl: platform.url });
  await anonymous.register({ body: { email, password, first_name: name, last_name: 'Tester' } });
  const client = await platform.connect();
  await client.query('update users set is_verified = true');
  await client.end();
  const { access_token: token } = await anonymous.signIn({ body: { username: email, password } });
  const api = createClient({ baseUrl: platform.url, token });
  const teamId = (await api.listTeams()).results[0]?.id as string;
  const { fqdn } = await api.createSite({ wait: 60, body: { ...CMS, fqdn: newFqdn(), team_id: teamId } });
  await visit(platform, fqdn, '/');
  return { token, api, teamId, fqdn };
}

async function plant(api: Client, fqdn: string): Promise<void> {
  for (const [path, text] of Object.entries(HOSTILE_FILES))
    await api.uploadSiteFile({ params: { fqdn }, query: { path }, body: new Blob([text]) });
}

/**
 * The newest backup can be restored, on a copy. What rotted and was not read since is only found by this: then it is offered no longer,
 * and the next backup has it anew from the site.
 */
async function tryRestore(api: Client, fqdn: string): Promise<string[]> {
  const begunMs = performance.now();
  const failed = new Map<string, string>();
  while (performance.now() - begunMs < BACK_MS) {
    const { created_at } = (await api.getBackups({ params: { fqdn } })) as Backup;
    if (failed.has(created_at)) {
      await sleep(1_000);
      continue;
    }
    const body = { restore_point: created_at, is_dry_run: true };
    const { passed_dry_run, failed_reason } = await api.createPitRestore({ params: { fqdn }, wait: 60, body });
    if (passed_dry_run) return [];
    console.log(`the backup of ${created_at} can not be restored: ${failed_reason}`);
    failed.set(created_at, failed_reason ?? '');
  }
  return [...failed].map(([createdAt, reason]) => `the backup of ${createdAt} can not be restored: ${reason}`);
}

/** Until the API, the sites, writing and backups work again. */
async function timeToComeBack(
  platform: ShakenPlatform,
  api: Client,
  fqdn: string,
  neighbour: string,
  oracle: Oracle,
  isShort: boolean,
): Promise<number | undefined> {
  const begunMs = performance.now();
  const before = oracle.tickets.size;
  let known: number | undefined;
  while (performance.now() - begunMs < BACK_MS) {
    await sleep(200);
    const isUp = await Promise.all([
      fetch(`${platform.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(({ status }) => status === 200),
      visit(platform, fqdn, `/?s=${performance.now()}`).then(({ status }) => status === 200),
      visit(platform, neighbour, '/').then(({ status }) => status === 200),
      api.getSite({ params: { fqdn } }).then(({ fqdn: name }) => name === fqdn),
    ]).catch(() => [false]);
    const backups = isShort ? undefined : await countBackups(platform).catch(() => undefined);
    known ??= backups;
    const hasBackup = backups !== undefined && known !== undefined && backups > known;
    // A site has its backup within a minute; the short form does not wait for that.
    if (isUp.every(Boolean) && oracle.tickets.size > before && (hasBackup || isShort))
      return performance.now() - begunMs;
  }
  return undefined;
}

/** Each time over a new connection, since Postgres may be on its way back. */
async function countBackups(platform: ShakenPlatform): Promise<number> {
  const client = await platform.connect();
  try {
    return (await client.query('select count(*)::int as n from backups')).rows[0].n;
  } finally {
    await client.end().catch(() => {});
  }
}

const [disk, seconds, runtime] = process.argv.slice(2);
if (import.meta.main && disk?.startsWith('/')) {
  console.log(JSON.stringify(await shake(disk, Number(seconds), runtime ?? 'memory')));
} else if (import.meta.main) {
  const outcome = await runChaos(Number(process.env.SECONDS ?? 1800), process.env.RUNTIME ?? 'php-wasm', console.log);
  for (const fault of outcome.faults) console.error(fault);
  console.log(outcome.summary);
  process.exitCode = outcome.faults.length === 0 ? 0 : 1;
}
