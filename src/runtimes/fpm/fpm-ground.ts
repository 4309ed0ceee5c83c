import { join } from 'node:path';
import type { Log } from '#core/log.ts';
import { ControlGroups } from '#sandbox/control-groups.ts';
import { Sandbox, type SandboxWish } from '#sandbox/sandbox.ts';
import { PhpHome, type PhpHomeOptions } from './php-home.ts';
import { findPhp, MachineLacksError, type PhpInstall } from './php-install.ts';

/** What sites on native PHP stand on. */
export interface FpmGround {
  sandbox: Sandbox;
  home: PhpHome;
  groups: ControlGroups;
  installs: [PhpInstall, ...PhpInstall[]];
}

/** What this machine has for them; MachineLacksError where that is not enough. */
export async function findGround(
  wanted: SandboxWish,
  cacheDir: string,
): Promise<Pick<FpmGround, 'sandbox' | 'installs'>> {
  const installs = await findPhp();
  const sandbox = await Sandbox.find(wanted, [cacheDir]);
  if (!(sandbox instanceof Sandbox))
    throw new MachineLacksError(
      `RUNTIME=fpm runs PHP in a sandbox alone, and this machine has none: ${sandbox.missing}.`,
    );
  const missing = await sandbox.missingNetwork();
  if (missing !== undefined)
    throw new MachineLacksError(
      `RUNTIME=fpm gives each site a network of its own, and this machine does not let it: ${missing}.`,
    );
  return { installs, sandbox };
}

export async function openGround(
  found: Pick<FpmGround, 'sandbox' | 'installs'>,
  runFolder: string,
  options: Omit<PhpHomeOptions, 'sandbox' | 'groups' | 'installs' | 'folder' | 'hasOverlays'>,
  memoryLimitBytes: number,
  log: Log,
): Promise<FpmGround> {
  const groups = ControlGroups.find('php', memoryLimitBytes);
  if (!groups.hasMemory) log.warn('no kernel limits of memory for sites: this service may not make control groups');
  const hasOverlays = await found.sandbox.hasOverlays();
  if (!hasOverlays) log.warn('no overlays on this machine: a site that wakes compiles WordPress anew');
  const home = new PhpHome({ ...found, ...options, groups, folder: join(runFolder, 'php'), hasOverlays });
  return { ...found, home, groups };
}
