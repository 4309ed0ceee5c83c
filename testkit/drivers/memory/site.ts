import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlatform } from './access.ts';
import { type Answer, html, json, type SiteRequest } from './answer.ts';
import { nextDue, runDue } from './cron.ts';
import { adminPage, brokenDatabase, feed, frontPage, loginPage, postPage } from './pages.ts';
import { FatalError, readProgram, runProgram } from './program.ts';
import { restAnswer } from './rest.ts';
import { activePlugins } from './software.ts';
import { BrokenDatabase, type Turn } from './turn.ts';

/** What a site answers: as WordPress with the platform's plugin does, seen from outside. */
export async function answerRequest(turn: Turn, request: SiteRequest): Promise<Answer> {
  try {
    return await route(turn, request);
  } catch (error) {
    turn.signal.throwIfAborted();
    if (isBroken(error)) return brokenDatabase();
    if (!(error instanceof FatalError)) turn.log('fatal', String(error));
    return html(500, '', { 'x-siteyard-failure': 'crash' });
  }
}

async function route(turn: Turn, request: SiteRequest): Promise<Answer> {
  const { path, query } = request;
  const program = /^\/wp-content\/(.+\.php)$/.exec(path)?.[1];
  if (program !== undefined) return programPage(turn, decodeURIComponent(program));
  // A database without WordPress in it is a broken one.
  if ((await turn.option('siteurl')) === undefined) throw new BrokenDatabase('there is no WordPress in the database');
  if (path === '/.siteyard/health' && isPlatform(turn, request)) return json(200, await health(turn));
  await runMustUse(turn);
  await runActive(turn);
  if (path === '/wp-cron.php') return cron(turn);
  if (path === '/wp-login.php') return loginPage(turn, request);
  if (path === '/wp-json' || path.startsWith('/wp-json/')) return restAnswer(turn, path.slice(8), request);
  if (path.startsWith('/wp-admin/') && !INSTALLERS.test(path)) return adminPage(turn, request);
  if (path === '/' && query.has('rest_route')) return restAnswer(turn, query.get('rest_route') ?? '', request);
  if (path === '/' || path === '/index.php') return frontPage(turn);
  if (path === '/feed/') return feed(turn);
  return postPage(turn, decodeURIComponent(path.replaceAll(/^\/+|\/+$/g, '')));
}

/** As WordPress does for each page. What is no program of ours is passed over: no PHP runs here. */
async function runMustUse(turn: Turn): Promise<void> {
  const folder = turn.contentFile('mu-plugins');
  const names = folder === undefined ? [] : await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith('.php')).sort()) {
    const text = await readFile(join(folder as string, name), 'utf8').catch(() => '');
    if (text.startsWith('[')) await runProgram(turn, `mu-plugins/${name}`, JSON.parse(text), () => {});
  }
}

/** The plugins that are on, as programs of ours. */
async function runActive(turn: Turn): Promise<void> {
  for (const name of await activePlugins(turn)) {
    const file = `plugins/${name}/${name}.php`;
    const text = await turn.readContent(file).catch(() => '');
    if (text.startsWith('[')) await runProgram(turn, file, JSON.parse(text), () => {});
  }
}

const INSTALLERS = /\/(?:install|setup-config)\.php$/;

async function programPage(turn: Turn, file: string): Promise<Answer> {
  const steps = await readProgram(turn, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!steps) return postPage(turn, file);
  let said = '';
  await runProgram(turn, file, steps, (text) => {
    said += text;
  });
  return html(200, said, { 'cache-control': 'no-store' });
}

async function cron(turn: Turn): Promise<Answer> {
  await runDue(turn, (steps) => runProgram(turn, 'cron.php', steps, () => {}));
  return html(200, '', { 'cache-control': 'no-store' });
}

async function health(turn: Turn) {
  const { coreVersion, phpVersion } = turn.site;
  return { core_version: coreVersion, php_version: phpVersion, problems: [] };
}

/** Whatever SQLite says of a file that it can not read. */
function isBroken(error: unknown): boolean {
  return error instanceof BrokenDatabase || (error as { code?: string }).code === 'ERR_SQLITE_ERROR';
}

/** Says how the site is where that is not what stands there (plugin/status.php), and tells what the outbox has. */
export async function leaveStatus(turn: Turn): Promise<string[]> {
  if (turn.site.isOffline) return [];
  try {
    const status = JSON.stringify({
      favicon_url: await icon(turn),
      title: await title(turn),
      next_cron: turn.isCopy ? null : await nextDue(turn),
    });
    const before = await readFile(join(turn.outbox, 'status.json'), 'utf8').catch(() => '');
    if (before !== status) await turn.leave('status.json', status);
  } catch (error) {
    // Nothing can be said of a site without a database.
    if (!isBroken(error)) throw error;
  }
  return readdir(turn.outbox).catch(() => []);
}

async function title(turn: Turn): Promise<string | null> {
  const [row] = await turn.query("select option_value from wp_options where option_name = 'blogname'");
  return typeof row?.option_value === 'string' ? row.option_value : null;
}

async function icon(turn: Turn): Promise<string | null> {
  const [row] = await turn.query(
    "select p.guid from wp_options o join wp_posts p on p.ID = cast(o.option_value as integer) where o.option_name = 'site_icon'",
  );
  return typeof row?.guid === 'string' && row.guid !== '' ? row.guid : null;
}
