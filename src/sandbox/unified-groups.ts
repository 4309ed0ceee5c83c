import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeGroup, processesIn, removeGroups, writeValue } from './group-files.ts';
import { processesOf } from './processes.ts';

/** Where the service itself is: a group that gives controllers on can have no processes of its own, but for the machine's root. */
export const OWN_GROUP = 'service';

/** Of 100 that others have. Visitors wait for the service. */
const SERVICE_WEIGHT = '2000';

/** Makes a group below `base` whose groups may have limits. Where that can not be, everything is as it was. */
export function makeDelegated(
  base: string,
  name: string,
  controllers: readonly string[],
  weight: string,
): string | undefined {
  const parent = makeGroup(base, name);
  if (!parent) return undefined;
  const hasRoom = giveOn(base, controllers);
  if ((hasRoom || stepAside(base, parent, controllers)) && giveOn(parent, controllers)) {
    if (hasRoom && !existsSync(join(parent, OWN_GROUP))) writeValue(parent, 'cpu.weight', weight);
    // Inside it is beside the groups of sandboxes, and the whole is beside those of the other kind.
    else for (const group of [join(parent, OWN_GROUP), parent]) writeValue(group, 'cpu.weight', SERVICE_WEIGHT);
    return parent;
  }
  removeGroups(parent);
  return undefined;
}

export function giveOn(folder: string, controllers: readonly string[]): boolean {
  return writeValue(folder, 'cgroup.subtree_control', controllers.map((name) => `+${name}`).join(' '));
}

/** Moves the service out of the group that it was started in, only where nobody is in there but the service and what it started. */
function stepAside(base: string, parent: string, controllers: readonly string[]): boolean {
  const inside = processesIn(base);
  const ours = new Set(processesOf(process.pid));
  if (!inside.includes(process.pid) || !inside.every((pid) => ours.has(pid))) return false;
  const own = makeGroup(parent, OWN_GROUP);
  if (!own) return false;
  // The service first: what it starts from then on is where it is.
  for (const pid of new Set([process.pid, ...inside])) move(pid, own);
  if (giveOn(base, controllers)) return true;
  for (const pid of processesIn(own)) move(pid, base);
  return false;
}

function move(pid: number, folder: string): void {
  writeValue(folder, 'cgroup.procs', String(pid));
}

/** The group that the service was started in, also where it has stepped aside since. */
export function startedIn(own: string, name: string): string {
  const aside = join('/', name, OWN_GROUP);
  return own.endsWith(aside) ? own.slice(0, -aside.length) || '/' : own;
}
