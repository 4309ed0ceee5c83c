import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Turn } from './turn.ts';

/**
 * What plugins and themes are here: folders with a readme.txt that has their title and version, as those of wordpress.org have. What lies in `upgrade`
 * under the same name is the newer one, or one that can be installed.
 */
interface Change {
  kind: 'plugin' | 'theme' | 'core' | 'php';
  action: string;
  name: string;
  activate?: boolean;
}

interface About {
  title: string;
  version: string;
}

const KINDS = ['plugin', 'theme'] as const;

/** Makes the changes, and says what there is then, as the command of the real ones does (wordpress/plugin/wp-cli). */
export async function tellSoftware(turn: Turn, text: string): Promise<string> {
  const results: { error: string | null }[] = [];
  for (const change of JSON.parse(text) as Change[])
    results.push({ error: await make(turn, change).catch((error: Error) => error.message) });
  const items = (await Promise.all(KINDS.map((kind) => listItems(turn, kind)))).flat();
  const { coreVersion, phpVersion } = turn.site;
  return JSON.stringify({ results, core: coreVersion, php: phpVersion, items, health: [], unreached: null });
}

export async function activePlugins(turn: Turn): Promise<string[]> {
  const stored = (await turn.option('active_plugins')) ?? '';
  return [...stored.matchAll(/s:\d+:"([^"/]+)\/[^"]+"/g)].map(([, name]) => name as string);
}

async function setActive(turn: Turn, names: string[]): Promise<void> {
  const entries = names.map((name, index) => {
    const file = `${name}/${name}.php`;
    return `i:${index};s:${Buffer.byteLength(file)}:"${file}";`;
  });
  await turn.setOption('active_plugins', `a:${names.length}:{${entries.join('')}}`);
}

async function listItems(turn: Turn, kind: 'plugin' | 'theme') {
  const folder = turn.contentFile(`${kind}s`) as string;
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter((each) => each.isDirectory());
  const active = kind === 'plugin' ? await activePlugins(turn) : [await turn.option('stylesheet')];
  return Promise.all(
    names.map(async ({ name }) => ({
      kind,
      name,
      ...(await aboutOf(turn, `${kind}s/${name}`, name)),
      state: active.includes(name) ? 'active' : 'inactive',
      update: (await aboutOf(turn, `upgrade/${name}`, name))?.version || null,
    })),
  );
}

async function aboutOf(turn: Turn, folder: string, name: string): Promise<About> {
  const text = await turn.readContent(`${folder}/readme.txt`).catch(() => '');
  return {
    title: /^=== (.+) ===$/m.exec(text)?.[1] ?? name,
    version: /^Stable tag: (.+)$/m.exec(text)?.[1] ?? '',
  };
}

async function make(turn: Turn, { kind, action, name, activate }: Change): Promise<null> {
  if (kind === 'core' || kind === 'php') return null;
  const folder = turn.contentFile(`${kind}s/${name}`);
  if (!folder) throw new Error('There is no such plugin.');
  if (action === 'update' || action === 'install') {
    const newer = turn.contentFile(`upgrade/${name}`) as string;
    if (!existsSync(newer)) throw new Error('Plugin not found.');
    await mkdir(dirname(folder), { recursive: true });
    await rm(folder, { recursive: true, force: true });
    await rename(newer, folder);
  }
  const isOn = action === 'activate' || activate;
  if (isOn && kind === 'theme') await turn.setOption('stylesheet', name);
  if (isOn && kind === 'plugin') await setActive(turn, [...new Set([...(await activePlugins(turn)), name])]);
  if (action === 'deactivate' || action === 'delete')
    await setActive(
      turn,
      (await activePlugins(turn)).filter((each) => each !== name),
    );
  if (action === 'delete') await rm(folder, { recursive: true, force: true });
  turn.hasChanged = true;
  return null;
}
