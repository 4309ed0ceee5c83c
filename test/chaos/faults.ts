import { closeSync, globSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#sdk';
import { visit } from '#testkit/clients/visit.ts';
import type { Random } from '#testkit/random.ts';
import { stopPostgres } from './postgres-processes.ts';
import type { ShakenPlatform } from './shaken-platform.ts';
import { fillDisk } from './small-disk.ts';

export interface Shaken {
  platform: ShakenPlatform;
  random: Random;
  /** Somebody who means harm, with a site of their own. */
  hostile: { api: Client; fqdn: string };
  /** The longest that something is stopped or full. */
  longestMs: number;
}

export type Fault = (shaken: Shaken) => Promise<void>;

const HOUR = 3600;

/** Everything that may happen to it, by name. */
const FAULTS: Record<string, Fault> = {
  async 'Postgres is killed'({ platform }) {
    platform.killPostgres();
    await sleep(500);
  },
  async 'the service is killed'({ platform }) {
    await platform.kill();
    await platform.start();
  },
  async 'service and Postgres are killed'({ platform }) {
    platform.killPostgres();
    await platform.kill();
    await platform.start();
  },
  async 'Postgres hangs'({ platform, random, longestMs }) {
    const goOn = stopPostgres(platform.cluster);
    await sleep(random.below(longestMs));
    goOn();
  },
  async 'the disk is full'({ platform, random, longestMs }) {
    const makeRoom = await fillDisk(process.pid, platform.dataDir);
    await sleep(random.below(longestMs));
    makeRoom();
  },
  async 'the clock is set back'({ platform }) {
    await platform.moveClock(-HOUR);
  },
  async 'the clock is set ahead'({ platform }) {
    await platform.moveClock(HOUR / 2);
  },
  async 'a stored object rots'({ platform, random }) {
    const objects = globSync('backups/**/packs/**', { cwd: platform.dataDir })
      .map((path) => join(platform.dataDir, path))
      .filter((path) => statSync(path).isFile());
    if (objects.length === 0) throw new Error('nothing is stored yet');
    const file = openSync(random.pick(objects), 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, 100);
    byte[0] = (byte[0] ?? 0) ^ 1;
    writeSync(file, byte, 0, 1, 100);
    closeSync(file);
  },
  async 'a flood of visits'({ platform, hostile }) {
    const pages = Array.from({ length: 300 }, (_, number) =>
      visit(platform, hostile.fqdn, `/?s=${number}-${performance.now()}`).catch(() => undefined),
    );
    await Promise.all(pages);
  },
};

/** What needs a site that really runs its PHP. */
const PHP_FAULTS: Record<string, Fault> = {
  async 'endless PHP'({ platform, hostile }) {
    const asked = Array.from({ length: 6 }, () =>
      visit(platform, hostile.fqdn, '/wp-content/endless.php').catch(() => undefined),
    );
    await Promise.race([Promise.all(asked), sleep(5_000)]);
  },
  async 'a large mail'({ platform, hostile }) {
    await visit(platform, hostile.fqdn, '/wp-content/mail.php').catch(() => undefined);
  },
  async 'a fork bomb in the shell'({ hostile }) {
    const bomb = hostile.api
      .runSiteCommand({ params: { fqdn: hostile.fqdn }, body: { cmd: 'bomb() { bomb | bomb & }; bomb; sleep 5' } })
      .catch(() => undefined);
    await Promise.race([bomb, sleep(5_000)]);
  },
};

export const faultsOf = (runtime: string) => (runtime === 'memory' ? FAULTS : { ...FAULTS, ...PHP_FAULTS });

/** The few that most can go wrong with, for a run of seconds. */
export const SHORT_FAULTS = [
  'service and Postgres are killed',
  'Postgres hangs',
  'the disk is full',
  'the clock is set back',
] as const;

/** What a hostile owner puts into their site. */
export const HOSTILE_FILES = {
  'endless.php': '<?php while (true) { $a = 1; }',
  'mail.php': `<?php require '../wp-load.php'; wp_mail('somebody@example.com', 'much', 'x', str_repeat("X-Line: y\\r\\n", 3000000)); echo 'sent';`,
};
