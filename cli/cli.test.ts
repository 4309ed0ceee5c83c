import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, mock, suite, test } from 'node:test';
import { sql } from 'kysely';
import { letIn, type Person, registerPerson } from '../testkit/app/people.ts';
import { putOnPlan } from '../testkit/app/sites.ts';
import { startTestApp, type TestApp } from '../testkit/app/test-app.ts';
import { AtTerminal } from '../testkit/clients/pty.ts';
import { eventually } from '../testkit/expect.ts';
import { makeRepository } from '../testkit/git/repository.ts';

/** Every command as somebody at a terminal uses it, built as it is shipped, against the real service. */
const PROGRAM = join(import.meta.dirname, 'bin/siteyard.cjs');
const SITE = 'blog.localhost';
/** To JavaScript they end a line, in JSON they are letters like others. */
const SEPARATORS = 'a\u2028b\u2029c';

let app: TestApp;
let ada: Person;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'siteyard-cli-'));
  app = await startTestApp({ env: { GIT_FILE_ROOTS: folder } });
  ada = await registerPerson(app, 'Ada');
  await putOnPlan(app, ada.teamId, 'business');
});
after(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

const env = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  XDG_CONFIG_HOME: join(folder, 'config'),
  ...more,
});
const at = (args: string[], more?: Record<string, string>) =>
  new AtTerminal(process.execPath, [PROGRAM, ...args], { env: env(more), cwd: folder });

/** Runs a command at a terminal to its end. Whatever is asked, in this order, is answered so. */
async function siteyard(
  line: string | string[],
  { answers = [], code = 0 }: { answers?: [RegExp, string][]; code?: number } = {},
) {
  const args = typeof line === 'string' ? line.split(' ') : line;
  const terminal = at(args);
  for (const [question, answer] of answers) {
    await terminal.shows(question);
    terminal.type(answer);
  }
  const end = await terminal.exit;
  assert.equal(end.code, code, `siteyard ${args.join(' ')}: ${end.text}`);
  return end.text;
}

/** The same for a script: no terminal anywhere. */
function script(args: string[], { input = '', more = {} }: { input?: string; more?: Record<string, string> } = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, ...args],
      { env: env(more), cwd: folder },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

suite('signing in', () => {
  test('is asked for with exit code 4, before and after a token has ended', async () => {
    assert.match(await siteyard('site list', { code: 4 }), /siteyard login/);
    const refused = await script(['site', 'list'], { more: { SITEYARD_URL: app.url, SITEYARD_TOKEN: 'sy_wrong' } });
    assert.equal(refused.code, 4);
    assert.match(
      refused.stderr,
      /\(auth\.required\)[\s\S]*siteyard login[\s\S]*\/docs\/errors#auth\.required {2}Request: [\w-]{36}/,
    );
  });

  test('a token goes to its own platform alone, and to no other machine in the clear', async () => {
    const heard: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      heard.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const host = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const token = { SITEYARD_TOKEN: 'sy_mine' };
    const elsewhere = await script(['--host', host, 'site', 'list'], { more: { SITEYARD_URL: app.url, ...token } });
    const nowhere = await script(['--host', host, 'site', 'list'], { more: token });
    other.close();
    for (const { code, stderr } of [elsewhere, nowhere])
      assert.deepEqual([code, /not sent to/.test(stderr)], [4, true]);
    assert.deepEqual(heard, []);
    const clear = await script(['site', 'list'], { more: { SITEYARD_URL: 'http://panel.example.com', ...token } });
    assert.deepEqual([clear.code, /not encrypted/.test(clear.stderr)], [1, true]);
    assert.match((await script(['login', 'http://panel.example.com'])).stderr, /not encrypted/);
  });

  test('goes by a code that is confirmed in the browser, and the token is kept for nobody else to read', async () => {
    const terminal = at(['login', app.url, '--no-browser']);
    const [, user_code = ''] = await terminal.shows(/Your code: ([A-Z]{4}-[A-Z]{4})/);
    await terminal.shows(/\/device and type/);
    await ada.api.confirmDeviceSignIn({ body: { user_code, scopes: ['read', 'write'] } });
    const { code, text } = await terminal.exit;
    assert.equal(code, 0, text);
    const file = join(folder, 'config/siteyard/tokens.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, 'utf8'), /sy_/);
    assert.match(await siteyard('whoami'), new RegExp(`${ada.email}>[\\s\\S]*read, write`));
  });

  test('can be refused there, and be left with Ctrl-C: exit code 2 both', async () => {
    const refused = at(['login', app.url, '--no-browser']);
    const [, user_code = ''] = await refused.shows(/Your code: (\S+)/);
    await ada.api.refuseDeviceSignIn({ body: { user_code } });
    const left = at(['login', app.url, '--no-browser']);
    await left.shows(/type the code/);
    left.type('\x03');
    assert.deepEqual([(await refused.exit).code, (await left.exit).code], [2, 2]);
  });

  test('goes by a token on stdin, and signing out ends that token', async () => {
    const { token } = await ada.api.createApiToken({ body: { name: 'script', scopes: ['read'] } });
    const more = { XDG_CONFIG_HOME: join(folder, 'other') };
    const entered = await script(['login', app.url, '--token'], { input: `${token}\n`, more });
    assert.equal(entered.code, 0, entered.stderr);
    assert.equal((await script(['logout'], { more })).code, 0);
    assert.equal((await fetch(`${app.api}/me`, { headers: { authorization: `Bearer ${token}` } })).status, 401);
    assert.equal((await script(['site', 'list'], { more })).code, 4);
  });
});

suite('sites', () => {
  test('are made, shown as a table to people and as fields to programs', async () => {
    const made = await siteyard('site create blog --title Hello');
    assert.match(
      made,
      /✓ blog\.localhost is ready: http:\/\/blog\.localhost:\d+\/[\s\S]*Sign in as ada\d+ with \S{20}/,
    );
    assert.match(await siteyard('site list'), /NAME +STATE +TEAM[\s\S]*blog\.localhost +(ready|asleep)/);
    const listed = await script(['site', 'list', '--json', 'fqdn,busy']);
    assert.deepEqual(JSON.parse(listed.stdout), [{ fqdn: SITE, busy: null }]);
    assert.equal((await script(['site', 'list'])).stdout.split('\t')[0], SITE);
    assert.match(await siteyard('site list --json fqdn,nope', { code: 1 }), /no field nope[\s\S]*busy/);
    assert.match(await siteyard(`site show ${SITE}`), /Address: +http:\/\/blog\.localhost/);
    assert.match(await siteyard('site show none', { code: 1 }), /site\.not_found[\s\S]*siteyard site list/);
  });

  test('are asked for their name where somebody is there, and nobody is asked where not', async () => {
    await siteyard('site create --no-wait', { answers: [[/What is it called\?/, 'asked\r']] });
    const nobody = await script(['site', 'create']);
    assert.equal(nobody.code, 1);
    assert.match(nobody.stderr, /no terminal[\s\S]*siteyard site create blog/);
  });

  test('are opened, signed in to, read the log of and put to sleep', async () => {
    assert.match(await siteyard(`site open ${SITE} --print`), /^http:\/\/blog\.localhost:\d+\/\n$/);
    assert.match(await siteyard(`site open ${SITE} --dashboard --print`), new RegExp(`^${app.url}/sites/${SITE}\n$`));
    assert.match(await siteyard(`site login ${SITE} --print`), /^http:\/\/blog\.localhost:\d+\/\S+\n$/);
    await siteyard(['site', 'logs', SITE, '--kind', 'access', '--since', '10 minutes ago']);
    assert.match(await siteyard(`site sleep ${SITE}`), /sleeps/);
    assert.match(await siteyard('open --print'), new RegExp(app.url));
  });

  test('run a command with its streams apart and its own exit code', async () => {
    const ran = await script(['site', 'shell', SITE, '--', 'echo out; echo err >&2; exit 7']);
    assert.deepEqual(ran, { code: 7, stdout: 'out\n', stderr: 'err\n' });
    const read = await script(['site', 'shell', '--stdin', SITE, 'cat'], { input: 'piped' });
    assert.deepEqual([read.code, read.stdout], [0, 'piped']);
    await siteyard(['site', 'shell', SITE, 'exit', '3'], { code: 3 });
  });

  test('have a terminal, which ends with the exit code of its shell', async () => {
    const terminal = at(['site', 'shell', SITE]);
    await terminal.shows(/\$ $/);
    terminal.resize(90, 30);
    terminal.type('echo hel""lo\r');
    await terminal.shows(/\nhello\n/);
    terminal.type('exit 5\r');
    assert.equal((await terminal.exit).code, 5);
  });

  test('that are worked on are left working by Ctrl-C, which says how to follow them', async () => {
    const held = Promise.withResolvers<void>();
    const create = app.runtime.create.bind(app.runtime);
    const slow = mock.method(app.runtime, 'create', async (...args: Parameters<typeof create>) => {
      await held.promise;
      return create(...args);
    });
    const terminal = at(['site', 'create', 'slow']);
    await terminal.shows(/Making slow\.localhost/);
    await eventually(async () => slow.mock.callCount() > 0);
    terminal.type('\x03');
    const { code, text } = await terminal.exit;
    assert.equal(code, 2, text);
    const [, id = ''] = /siteyard event ([\w-]{36}) --follow/.exec(text) ?? [];
    const following = at(['event', id, '--follow']);
    await following.shows(/[⠋⠙⠹]/);
    held.resolve();
    const followed = await following.exit;
    slow.mock.restore();
    assert.equal(followed.code, 0);
    assert.match(followed.text, /State: +done/);
    assert.match(await siteyard('site show slow'), /State: +(ready|asleep)/);
  });
});

suite('time and copies', () => {
  test('backups are listed, and a site is restored after it was shown what that means', async () => {
    await siteyard(['site', 'shell', '--snapshot', SITE, 'echo one > uploads/a.txt']);
    await siteyard(['site', 'shell', '--snapshot', SITE, 'echo two > uploads/a.txt']);
    const { stdout } = await script(['backup', 'list', SITE, '--json', 'created_at']);
    const [newest] = JSON.parse(stdout) as { created_at: string }[];
    assert.ok(newest);
    assert.match(await siteyard(`backup list ${SITE}`), /TIME +AGE/);
    const plan = await siteyard(['restore', SITE, '--at', newest.created_at, '--dry-run']);
    assert.match(plan, /1 file changed/);
    const refused = await siteyard(['restore', SITE, '--at', 'now'], { answers: [[/Yes \/ . No/, '\r']], code: 2 });
    assert.match(refused, /nothing was changed/);
    const restored = await siteyard(['restore', SITE, '--at', newest.created_at], { answers: [[/Yes \/ . No/, 'y']] });
    assert.match(restored, /1 file changed[\s\S]*Undo it with: siteyard restore/);
    assert.equal((await script(['site', 'shell', SITE, 'cat uploads/a.txt'])).stdout, 'one\n');
    assert.match(
      await siteyard(['restore', SITE, '--at', 'a while back'], { code: 1 }),
      /no time that I understand[\s\S]*yesterday 14:05/,
    );
    assert.equal((await script(['restore', SITE, '--at', 'now'])).code, 1, 'a script has to say --yes');
  });

  test('a stage is made, compared, committed, made anew and deleted by its name', async () => {
    assert.match(await siteyard(`stage create ${SITE}`), /is ready: http:\/\/stage-blog\.localhost/);
    await siteyard(['site', 'shell', '--stage', SITE, 'echo three > uploads/b.txt']);
    assert.match(await siteyard(`stage changes ${SITE}`), /uploads\/b\.txt +added/);
    const restored = await siteyard(['restore', SITE, '--stage', '--at', 'now', '--yes']);
    assert.match(restored, /siteyard restore blog\.localhost --stage --at/, 'what undoes it is about the stage too');
    await siteyard(`stage commit ${SITE}`, { answers: [[/Yes \/ . No/, 'y']] });
    assert.equal((await script(['site', 'shell', SITE, 'cat uploads/b.txt'])).stdout, 'three\n');
    await siteyard(`stage refresh ${SITE} --yes`);
    const wrong: [RegExp, string] = [/Type stage-blog\.localhost/, 'blog\r'];
    assert.match(await siteyard(`stage delete ${SITE}`, { answers: [wrong], code: 2 }), /not its name/);
    await siteyard(`stage delete ${SITE}`, { answers: [[/Type stage-blog\.localhost/, 'stage-blog.localhost\r']] });
    assert.match(await siteyard(`stage changes ${SITE}`, { code: 1 }), /stage\.missing[\s\S]*siteyard stage create/);
  });

  test('a site follows a repository', async () => {
    await makeRepository(join(folder, 'site.git'), { 'wp-content/themes/mine/style.css': '/* one */' });
    const url = `file://${join(folder, 'site.git')}`;
    await siteyard(['git', 'link', SITE, url]);
    assert.match(await siteyard(`git status ${SITE}`), /Repository: +file:/);
    assert.match(await siteyard(`git sync ${SITE}`), /is at [0-9a-f]{12}/);
    await siteyard(['site', 'shell', SITE, 'echo two > themes/mine/style.css']);
    assert.match(await siteyard(`git changes ${SITE}`), /changed +.*style\.css/);
    assert.match(await siteyard(['git', 'commit', SITE, '-m', 'From the site'], { code: 1 }), /git\.no_account/);
    await siteyard('git repos');
    await siteyard('git accounts');
    await siteyard(`git unlink ${SITE} --yes`);
    assert.match(await siteyard(`git status ${SITE}`, { code: 1 }), /git\.not_linked/);
  });

  test('a template is made of a site, changed and deleted', async () => {
    const made = await siteyard([
      'template',
      'create',
      '--from-site',
      SITE,
      '--description',
      'A start',
      '--tag',
      'blog',
    ]);
    const [, name = ''] = /The template is called (\S+)\./.exec(made) ?? [];
    await siteyard(['template', 'update', name, '--description', 'A better start']);
    assert.match(await siteyard(`template show ${name}`), /A better start/);
    assert.match(await siteyard('template list'), new RegExp(`${name}`));
    await siteyard(`template delete ${name}`, { answers: [[/Type \S+ to confirm/, `${name}\r`]] });
    await siteyard(`template show ${name}`, { code: 1 });
  });
});

const hasControls = (text: string) => ['\x1b', '\x9b', '\u202e'].some((character) => text.includes(character));

suite('people', () => {
  test('teams are listed, chosen and changed, and people invited and removed', async () => {
    assert.match(await siteyard('team list'), /NAME +ROLE +PLAN[\s\S]*owner +business/);
    const { name = '' } = await ada.api.getTeam({ params: { team_id: ada.teamId } });
    await siteyard(['team', 'use', name]);
    await siteyard(['team', 'update', '--timezone', 'Europe/Berlin']);
    assert.match(await siteyard('team show'), /Europe\/Berlin/);
    assert.match(await siteyard('team use nobody', { code: 1 }), /siteyard team list/);
    const hostile = 'x\x1b[2J\x9b2J\u202ey';
    await sql`update teams set name = ${hostile} where id = ${ada.teamId}`.execute(app.services.db);
    const shown = await script(['team', 'show']);
    assert.match(shown.stdout, /x\[2J2Jy/, 'what others wrote is shown without what moves the cursor');
    const fields = await script(['team', 'show', '--json', 'name']);
    assert.equal(hasControls(fields.stdout), false);
    assert.deepEqual(JSON.parse(fields.stdout), { name: hostile }, 'programs get all of it');
    const refused = await script(['team', 'use', `${hostile}?`]);
    assert.match(refused.stderr, /no team x\[2J2Jy\?/);
    assert.equal(hasControls(refused.stderr + shown.stdout), false);
    assert.match(await siteyard('team invite new@example.com --role viewer'), /new@example\.com is invited/);
    assert.match(await siteyard('team invites'), /new@example\.com +viewer/);
    const bob = await registerPerson(app, 'Bob');
    await letIn(ada, bob, 'member');
    assert.match(await siteyard('team members'), new RegExp(`${bob.email} +member`));
    await siteyard(`team remove ${bob.email}`, { answers: [[/Yes \/ . No/, 'y']] });
    assert.doesNotMatch(await siteyard('team members'), new RegExp(bob.email));
  });

  test('tickets are opened, answered, closed and deleted', async () => {
    const answers: [RegExp, string][] = [
      [/What is it about\?/, 'A broken page\r'],
      [/What happened/, 'It is white\r'],
    ];
    const made = await siteyard(`ticket create --site ${SITE}`, { answers });
    const [, id = ''] = /siteyard ticket show ([\w-]{36})/.exec(made) ?? [];
    await siteyard(['ticket', 'reply', id, '-m', 'Still white \x1b[31mnot red']);
    await siteyard(['ticket', 'reply', id, '--resolve']);
    const shown = await script(['ticket', 'show', id]);
    assert.match(shown.stdout, /A broken page \(resolved\)[\s\S]*It is white[\s\S]*Still white \[31mnot red/);
    assert.match(await siteyard('ticket list'), /resolved +A broken page/);
    await siteyard(`ticket delete ${id} --yes`);
    await siteyard(`ticket show ${id}`, { code: 1 });
  });

  test('events are listed, and followed as they happen until Ctrl-C', async () => {
    assert.match(await siteyard('event -L 3'), /TIME +STATE +WHAT/);
    const following = at(['event', '--follow']);
    await following.shows(/Waiting for events/);
    await eventually(async () => app.services.events.streamsOf(ada.userId) > 0);
    await ada.api.updateTeam({ params: { team_id: ada.teamId }, body: { name: 'Renamed' } });
    await following.shows(/done .*team/);
    following.type('\x03');
    assert.equal((await following.exit).code, 2);
  });
});

suite('programs', { concurrency: true }, () => {
  test('call any operation, by its name or its path, all pages as one list', async () => {
    const one = await script(['api', 'getSite', '-f', `fqdn=${SITE}`]);
    assert.equal(JSON.parse(one.stdout).fqdn, SITE);
    const all = await script(['api', '/site', '--paginate', '-q', 'size=1']);
    assert.ok(JSON.parse(all.stdout).length > 1);
    await siteyard(['api', `/site/${SITE}`, '-X', 'PATCH', '-F', 'debug_enabled=true']);
    assert.equal((await ada.api.getSite({ params: { fqdn: SITE } })).debug_enabled, true);
    assert.match(await siteyard('api getSit', { code: 1 }), /Did you mean getSite/);
    assert.match(await siteyard('api getSite', { code: 1 }), /-f fqdn=…/);
    const mistyped = ['-f', `fqdn=${SITE}`, '-F', 'dryrun=true', '-f', 'restore_point=2026-01-01T00:00:00Z'];
    assert.match(
      await siteyard(['api', 'createPitRestore', ...mistyped], { code: 1 }),
      /no field dryrun[\s\S]*is_dry_run/,
    );
    const placed = await script(['api', 'listSites', '-f', 'size=1', '-q', 'page=2']);
    assert.match(placed.stdout, /"previous":"[^"]*page=1[^\d]/);
    assert.match(await siteyard('api list'), /listSites +read +GET \/site /);
  });

  test('speak MCP over stdin and stdout, each message a request with the token and what was agreed on', async () => {
    const heard: IncomingHttpHeaders[] = [];
    const methods: string[] = [];
    const server = createServer((request, response) => {
      heard.push(request.headers);
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (body.startsWith('[')) return;
        const { id, method, params } = JSON.parse(body);
        methods.push(method);
        if (id === undefined || method === undefined) return void response.writeHead(202).end();
        if (method === 'slow') return;
        if (method === 'breaks')
          return void response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .write(': it begins\n\n', () => response.destroy());
        if (method === 'proxied')
          return void response.writeHead(502, { 'content-type': 'application/json' }).end('{"error":"no upstream"}');
        if (method === 'refused')
          return void response
            .writeHead(400, { 'content-type': 'application/json' })
            .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"Not that version"}}');
        const result = method === 'initialize' ? { protocolVersion: '2025-11-25' } : { tools: [], params };
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result });
        if (method === 'tools/call')
          return void response
            .writeHead(403, { 'content-type': 'application/json' })
            .end('{"detail":"No.","code":"auth.forbidden"}');
        if (method === 'initialize') response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
        else
          response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: message\ndata: ${answer}\n\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call' },
      { jsonrpc: '2.0', id: 4, method: 'slow' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } },
      [
        { jsonrpc: '2.0', id: 8, method: 'slow' },
        { jsonrpc: '2.0', id: 9, method: 'tools/list' },
      ],
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } },
      { jsonrpc: '2.0', id: 10, result: {} },
      { jsonrpc: '2.0', id: 11, method: 'proxied' },
      { jsonrpc: '2.0', id: 5, method: 'breaks' },
      { jsonrpc: '2.0', id: 6, method: 'refused' },
      { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'siteyard://ü', _meta } },
      { jsonrpc: '2.0', id: 12, method: 'tools/list', params: { cursor: SEPARATORS } },
    ];
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { code, stdout } = await script(['mcp'], { input, more: { SITEYARD_URL: url, SITEYARD_TOKEN: 'sy_mine' } });
    server.close();
    assert.equal(code, 0);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const all = [1, 2, 3, 5, 6, 7, 9, 11, 12];
    const ids = answers.map(({ id }) => id);
    assert.deepEqual(
      ids.sort((a, b) => a - b),
      all,
      'what was cancelled is left, and not answered',
    );
    assert.match(answers.find(({ id }) => id === 5).error.message, /broke before the answer came/);
    assert.equal(answers.find(({ id }) => id === 12).result.params.cursor, SEPARATORS, 'they end no line');
    assert.match(answers.find(({ id }) => id === 9).error.message, /along with this was cancelled/);
    assert.equal(answers.find(({ id }) => id === 11).error.code, -32603);
    assert.deepEqual(answers.find(({ id }) => id === 6).error, { code: -32022, message: 'Not that version' });
    const modern = heard.find((each) => each['mcp-protocol-version'] === '2026-07-28');
    const name = `=?base64?${Buffer.from('siteyard://ü').toString('base64')}?=`;
    assert.deepEqual([modern?.['mcp-method'], modern?.['mcp-name']], ['resources/read', name]);
    assert.ok(!methods.includes('notifications/cancelled'), 'a server without sessions could do nothing with it');
    assert.match(answers.find(({ id }) => id === 3).error.message, /No\. \(auth\.forbidden\)/);
    assert.ok(heard.every(({ authorization }) => authorization === 'Bearer sy_mine'));
    assert.ok(heard.slice(1).every((each) => each === modern || each['mcp-protocol-version'] === '2025-11-25'));
  });

  test('speak MCP to the real service', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const { stdout, stderr } = await script(['mcp'], {
      input: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    });
    const listed = stdout.split('\n').find((line) => line.includes('"id":2'));
    assert.match(String(listed), /"listSites"/, stderr + stdout);
  });

  test('complete commands, flags and names of sites in the shells that are here', async () => {
    const run = (program: string, ...args: string[]) =>
      new Promise<string | undefined>((resolve) =>
        execFile(program, args, { env: env() }, (error, stdout) =>
          resolve(error ? (error.code === 'ENOENT' ? undefined : `failed ${error.message}`) : stdout),
        ),
      );
    for (const shell of ['bash', 'zsh', 'fish']) {
      const text = (await script(['completion', shell])).stdout;
      const parsed = await run(shell, '-n', '-c', text);
      assert.ok(parsed === undefined || parsed === '', `${shell}: ${parsed}`);
    }
    const bash = (words: string) =>
      `siteyard() { "${process.execPath}" "${PROGRAM}" "$@"; }; eval "$(siteyard completion bash)"; COMP_WORDS=(siteyard ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _siteyard; echo "\${COMPREPLY[@]}"`;
    assert.equal(await run('bash', '-c', bash('site lis')), 'list\n');
    assert.equal(await run('bash', '-c', bash('restore --dr')), '--dry-run\n');
    assert.equal(await run('bash', '-c', bash('site open blo')), `${SITE}\n`);
    await siteyard('completion tcsh', { code: 1 });
  });

  test('get help without a platform, and are told of words that there are not', async () => {
    assert.match(await siteyard('--help'), /restore +Bring a site back/);
    assert.match(await siteyard('site create --help'), /--template/);
    assert.match(await siteyard('sites', { code: 1 }), /unknown command/);
    assert.match(await siteyard('--version'), /^\d+\.\d+\.\d+/);
  });
});

test('a deleted site is asked for by its name', async () => {
  await siteyard(`site delete ${SITE}`, { answers: [[/Type blog\.localhost/, 'blog.localhost\r']] });
  await siteyard(`site show ${SITE}`, { code: 1 });
  assert.equal((await script(['site', 'delete', 'slow'])).code, 1, 'a script has to say --yes');
  await siteyard('site delete slow --yes');
});
