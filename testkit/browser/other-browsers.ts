import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../expect.ts';
import { freePort } from '../free-port.ts';

/**
 * Firefox and WebKit, the engine of Safari, as Debian has them: `firefox-esr`, and `webkit2gtk-driver` with `xvfb`. Playwright drives builds of its own alone,
 * which are not to be had everywhere, so these speak WebDriver: Firefox over a socket (BiDi), WebKit over HTTP.
 */
export interface OtherBrowser {
  goto(url: string): Promise<void>;
  /** What an expression comes to in the page, as JSON has it. */
  run<T>(expression: string): Promise<T>;
  /** Real input: what a hand does with a mouse and with keys. */
  act(sources: InputSource[]): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** A picture of the window, for people to look at. */
  picture(file: string): Promise<void>;
  close(): Promise<void>;
}

type InputSource = { type: 'pointer' | 'key'; id: string; parameters?: object; actions: object[] };

export const OTHER_BROWSERS: Record<string, { isHere: () => boolean; open: () => Promise<OtherBrowser> }> = {
  Firefox: { isHere: () => find('firefox-esr', 'firefox') !== undefined, open: openFirefox },
  WebKit: {
    isHere: () => [find('WebKitWebDriver'), find('Xvfb'), miniBrowser()].every((each) => each !== undefined),
    open: openWebKit,
  },
};

const find = (...names: string[]) => names.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

async function openFirefox(): Promise<OtherBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
  const firefox = spawn(find('firefox-esr', 'firefox') as string, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
  });
  let address: string | undefined;
  createInterface(firefox.stderr).on('line', (line) => {
    address ??= /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
  });
  await eventually(async () => address !== undefined, 60_000);
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  socket.onmessage = ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data));
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(new Error(`${error}: ${message}`));
    else asked?.resolve(result as never);
  };
  let last = 0;
  const call = <T>(method: string, params: object) =>
    new Promise<T>((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await call('session.new', { capabilities: {} });
  const { contexts } = await call<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = contexts[0]?.context as string;
  return {
    async goto(url) {
      await call('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async run(expression) {
      const asked = { expression: asJson(expression), target: { context }, awaitPromise: true };
      const { result, exceptionDetails } = await call<{
        result?: { value: string };
        exceptionDetails?: { text: string };
      }>('script.evaluate', asked);
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result?.value as string);
    },
    async act(actions) {
      await call('input.performActions', { context, actions });
    },
    async resize(width, height) {
      await call('browsingContext.setViewport', { context, viewport: { width, height } });
    },
    async picture(file) {
      const { data } = await call<{ data: string }>('browsingContext.captureScreenshot', { context });
      await writeFile(file, Buffer.from(data, 'base64'));
    },
    async close() {
      socket.close();
      await end(firefox);
      await rm(profile, { recursive: true, force: true });
    },
  };
}

const miniBrowser = () =>
  ['4.1', '4.0', '6.0']
    .flatMap((version) => ['x86_64', 'aarch64'].map((machine) => [machine, version]))
    .map(
      ([machine, version]) =>
        `/usr/lib/${machine}-linux-gnu/webkit${version === '6.0' ? '' : '2'}gtk-${version}/MiniBrowser`,
    )
    .find((path) => existsSync(path));

async function openWebKit(): Promise<OtherBrowser> {
  const screen = `:${await freePort()}`;
  const xvfb = spawn(find('Xvfb') as string, [screen, '-screen', '0', '2000x1400x24', '-nolisten', 'tcp'], {
    stdio: 'ignore',
  });
  const port = await freePort();
  const driver = spawn(find('WebKitWebDriver') as string, [`--port=${port}`], {
    stdio: 'ignore',
    // It wants a sandbox of its own in containers that allow none, and a graphics card.
    env: {
      ...process.env,
      DISPLAY: screen,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    },
  });
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await eventually(
    () =>
      call('GET', '/status').then(
        () => true,
        () => false,
      ),
    60_000,
  );
  const browserOptions = { binary: miniBrowser(), args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browserOptions } };
  const { sessionId } = await call<{ sessionId: string }>('POST', '/session', { capabilities });
  const inSession = <T>(method: string, path: string, body?: object) =>
    call<T>(method, `/session/${sessionId}${path}`, body);
  return {
    async goto(url) {
      await inSession('POST', '/url', { url });
    },
    async run(expression) {
      return JSON.parse(await inSession('POST', '/execute/sync', { script: `return ${asJson(expression)}`, args: [] }));
    },
    async act(actions) {
      await inSession('POST', '/actions', { actions });
    },
    async resize(width, height) {
      await inSession('POST', '/window/rect', { width, height });
    },
    async picture(file) {
      await writeFile(file, Buffer.from(await inSession<string>('GET', '/screenshot'), 'base64'));
    },
    async close() {
      await inSession('DELETE', '').catch(() => {});
      await end(driver);
      await end(xvfb);
    },
  };
}

const asJson = (expression: string) => `JSON.stringify((${expression}) ?? null)`;

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = new Promise((resolve) => program.once('exit', resolve));
  program.kill();
  await ended;
}
