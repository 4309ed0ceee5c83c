import { buffer } from 'node:stream/consumers';
import type { Services } from '#core/services.ts';
import type { HostedSpec, SiteRef } from '#host/site-host.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { shippedPicture } from './shipped.ts';
import type { TemplateRow } from './template.sql.ts';

/** What stands for a template in the gallery: our own have one, the others show what their theme brings along. */
const MAX_BYTES = 2 * 1024 * 1024;
const ENDINGS = ['png', 'jpg', 'jpeg', 'webp', 'gif'];
const THEME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Where the picture of the theme is that sites made from it have; null where it has none that can be shown. */
export async function findPicture(
  { hosts }: Services,
  site: HostedSpec,
  space: string,
  moment: SnapshotName,
): Promise<string | null> {
  const theme = await hosts.activeTheme(site);
  if (theme === null || !THEME.test(theme)) return null;
  const paths = ENDINGS.map((ending) => `themes/${theme}/screenshot.${ending}`);
  const own = (await hosts.findKeptFiles(site, space, moment, paths)).findIndex(
    (file) => file !== undefined && file.sizeBytes <= MAX_BYTES,
  );
  if (own >= 0) return paths[own] as string;
  for (const path of paths) if (await readFromCore(hosts, site, site.coreVersion, path)) return path;
  return null;
}

/** Themes that come with WordPress are shared by all sites. */
async function readFromCore(
  hosts: Services['hosts'],
  { host, driver }: Pick<SiteRef, 'host' | 'driver'>,
  coreVersion: string,
  path: string,
): Promise<Buffer | undefined> {
  const root = { host, driver, root: { coreVersion } };
  return (await hosts.readFile(root, `/wp-content/${path}`, MAX_BYTES))?.content;
}

export interface Picture {
  content: Buffer;
  type: string;
}

/** The picture as it is, where it is one: what is said of a file by its name counts for nothing. */
export async function readPicture(services: Services, template: TemplateRow): Promise<Picture | undefined> {
  const content = await contentOf(services, template);
  const type = content && typeOf(content);
  return content && type !== undefined ? { content, type } : undefined;
}

async function contentOf({ hosts, config }: Services, template: TemplateRow): Promise<Buffer | undefined> {
  const { id: space, shipped_as, picture, content_id, content_hash, content_point, core_version } = template;
  if (shipped_as !== null) return shippedPicture(shipped_as);
  if (picture === null) return undefined;
  const at = { host: template.host ?? config.newSites.host, driver: template.driver ?? config.newSites.driver };
  if (content_id !== null && content_hash !== null && content_point !== null) {
    const moment = { hash: content_hash, timeMs: content_point.getTime() };
    const site = { ...at, id: content_id };
    const [file] = await hosts.findKeptFiles(site, space, moment, [picture]);
    if (file && file.sizeBytes <= MAX_BYTES)
      return buffer(await hosts.readKeptFile(site, space, file.ref, 0, file.sizeBytes));
  }
  return readFromCore(hosts, at, core_version ?? '', picture);
}

function typeOf(content: Buffer): string | undefined {
  const begins = (hex: string, at = 0) => content.subarray(at, at + hex.length / 2).toString('hex') === hex;
  if (begins('89504e470d0a1a0a')) return 'image/png';
  if (begins('ffd8ff')) return 'image/jpeg';
  if (begins('474946383761') || begins('474946383961')) return 'image/gif';
  return begins('52494646') && begins('57454250', 8) ? 'image/webp' : undefined;
}
