import assert from 'node:assert/strict';
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Command, CommandResult, ShellKind, SiteSpec } from '#runtimes/runtime.ts';
import { Sandbox } from '#sandbox/sandbox.ts';
import { createSite, type DriverUnderTest } from './contract-site.ts';

type RunShell = (script: string, options?: Partial<Command>) => Promise<CommandResult>;

/** Makes the site's content whoever's it is inside. */
export async function giveContent(driver: Pick<DriverUnderTest, 'runtime'>, site: { id: string }): Promise<void> {
  const sandbox = await Sandbox.find();
  if (!(sandbox instanceof Sandbox) || sandbox.mode !== 'uids') return;
  const uid = sandbox.uidOf(site.id);
  const root = driver.runtime.contentFolder(site.id);
  await chown(root, uid, uid);
  for (const entry of await readdir(root, { recursive: true })) await chown(join(root, entry), uid, uid);
}

function shellOf(driver: DriverUnderTest, site: SiteSpec): RunShell {
  return (script, options = {}) =>
    driver.runtime.exec(site, {
      args: ['bash', '-c', script],
      timeoutMs: 60_000,
      maxOutputBytes: 1024 * 1024,
      ...options,
    });
}

/** What the shell of every driver does, whichever kind it has. */
export function describeShell(name: string, kind: ShellKind, open: () => Promise<DriverUnderTest>): void {
  describe(`the shell (${kind}) of ${name}`, () => {
    let driver: DriverUnderTest;
    let site: SiteSpec;
    let run: RunShell;
    before(async () => {
      driver = await open();
      site = await createSite(driver.runtime, 'shell.localhost');
      const folder = join(driver.runtime.contentFolder(site.id), 'plugins', 'some');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'one.txt'), 'one\n');
      await giveContent(driver, site);
      run = shellOf(driver, site);
    });
    after(() => driver.close());

    it('says which kind it is', () => assert.equal(driver.runtime.shell, kind));

    it('gives both streams and the exit code as they are', async () => {
      const { stdout, stderr, exitCode, truncated } = await run('echo out; echo err >&2; exit 7');
      assert.deepEqual(
        { stdout, stderr, exitCode, truncated },
        { stdout: 'out\n', stderr: 'err\n', exitCode: 7, truncated: false },
      );
    });

    it('starts in the content, or in a folder below it, and nowhere where there is none', async () => {
      assert.equal((await run('pwd; cat plugins/some/one.txt')).stdout, '/site/wordpress/wp-content\none\n');
      assert.equal(
        (await run('pwd; cat one.txt', { cwd: 'plugins/some' })).stdout,
        '/site/wordpress/wp-content/plugins/some\none\n',
      );
      assert.equal((await run('pwd', { cwd: '/site/wordpress' })).stdout, '/site/wordpress\n');
      const missing = await run('echo ran', { cwd: 'no/such' });
      assert.deepEqual([missing.isCwdMissing, missing.stdout], [true, '']);
    });

    it('reads what it is given', async () => {
      assert.equal((await run('tr a-z A-Z', { stdin: 'given ü\n' })).stdout, 'GIVEN ü\n');
    });

    it('writes to the site, which keeps it', async () => {
      assert.equal((await run('mkdir -p made && echo kept > made/file')).exitCode, 0);
      assert.equal((await run('cat made/file')).stdout, 'kept\n');
    });

    it('runs wp with arguments as they are, in a pipe, with its exit code', async () => {
      const { stdout, exitCode } = await run(
        'wp option get home | sed s/http/HTTP/; wp option get "no such" 2>/dev/null',
      );
      assert.equal(stdout, `${site.url.replace('http', 'HTTP')}\n`);
      assert.equal(exitCode, 1);
    });

    it('cuts each stream, and says so', async () => {
      const { stdout, exitCode, truncated } = await run('seq 1 20000', { maxOutputBytes: 1_000 });
      assert.deepEqual([stdout.length, truncated, exitCode], [1_000, true, 0]);
    });

    it('ends at its time', async () => {
      const { exitCode, stderr, durationMs } = await run('while true; do sleep 0.1; done', { timeoutMs: 1_500 });
      assert.equal(exitCode, 124);
      assert.match(stderr, /took too long/);
      assert.ok(durationMs < 20_000);
    });

    it('ends where whoever asked is gone, and where work takes the site', async () => {
      const caller = new AbortController();
      const called = run('sleep 100', { signal: caller.signal });
      setTimeout(() => caller.abort(), 300);
      assert.notEqual((await called).exitCode, 0);
      const running = run('sleep 100');
      await new Promise((wait) => setTimeout(wait, 300));
      const resume = await driver.runtime.suspend(site.id);
      assert.notEqual((await running).exitCode, 0);
      await assert.rejects(run('true'), { reason: 'stopped' });
      resume();
      assert.equal((await run('echo back')).stdout, 'back\n');
    });

    it('ends where the site has no room left', async () => {
      const used = await driver.runtime.diskUsageBytes(site.id);
      const grow = 'x=$(printf %0200000d 1); for i in $(seq 1 400); do echo $x$x$x$x$x > big$i; sleep 0.05; done';
      const { exitCode, stderr } = await run(grow, { maxDiskBytes: used + 5_000_000 });
      assert.equal(exitCode, 137);
      assert.match(stderr, /no room left/);
      await run('rm -f big*');
    });
  });
}
