import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import type { PageAnswer } from '#core/browser.ts';
import { removeFolder } from '#core/remove-folder.ts';
import { Sandbox } from '#sandbox/sandbox.ts';
import { Chromium, findChromium } from './chromium.ts';
import { Devtools } from './devtools.ts';
import { pictureOfPage } from './page-picture.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siteyard-browser-'));
});
after(() => removeFolder(folder));

const html = (body: string): PageAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/html', 'set-cookie': 'a=b' },
  body: Buffer.from(body),
});

/** A page that would like to run, to read the machine, and to go elsewhere. */
const HOSTILE = `<!doctype html><title>x</title><meta http-equiv="refresh" content="0;url=http://169.254.169.254/">
  <body style="background:#0a0"><script>fetch('/ran')</script><img src="/own.png" onerror="fetch('/ran')">
  <img src="http://elsewhere.example/beacon.png"><iframe src="file:///etc/passwd"></iframe>
  <link rel="stylesheet" href="http://127.0.0.1:1/x.css"><object data="/own.html"></object>`;

test('a page is pictured without its scripts, and whatever it asks for is asked of us alone', async (t) => {
  const file = process.env.CHROMIUM_PATH ?? findChromium();
  const sandbox = await Sandbox.find();
  if (!file || 'missing' in sandbox) return t.skip('there is no Chromium here, or no sandbox to run it in');
  const browser = new Chromium(file, { folder: join(folder, 'browser'), sandbox: 'auto', isModest: false });
  const asked: string[] = [];
  try {
    const picture = await browser.takePicture({
      url: 'http://a.example/',
      async answer(url) {
        asked.push(url.href);
        if (url.host !== 'a.example') return undefined;
        return url.pathname === '/' ? html(HOSTILE) : undefined;
      },
    });
    assert.equal(picture.toString('latin1', 8, 12), 'WEBP');
    assert.ok(asked.includes('http://a.example/own.png'));
    assert.ok(!asked.includes('http://a.example/ran'), 'a script ran');
    assert.ok(!asked.some((url) => url.startsWith('file:')));
  } finally {
    await browser.close();
  }
  await assert.rejects(browser.takePicture({ url: 'http://a.example/', answer: async () => undefined }));
});

test('a browser that says what nobody understands is given up', async () => {
  const [readable, writable] = [new PassThrough(), new PassThrough()];
  const devtools = new Devtools(readable, writable);
  const asked = devtools.send('Target.createTarget');
  readable.write('{"id":\0');
  await assert.rejects(asked, /nobody understands/);
  await assert.rejects(devtools.send('Page.enable'), /nobody understands/);
});

test('a browser that says more than one picture takes is given up, in one message or in many', async () => {
  for (const message of [`{"method":"${'x'.repeat(5_000_000)}"}`, `{"method":"${'x'.repeat(1_000_000)}"}\0`]) {
    const [readable, writable] = [new PassThrough(), new PassThrough()];
    const devtools = new Devtools(readable, writable);
    const asked = devtools.send('Target.createTarget');
    const tell = async () => {
      for (let turn = 0; turn < 40; turn++) {
        readable.write(message);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all([assert.rejects(asked, /too much/), tell()]);
  }
});

test('a page that asks for very much at once is answered a little at a time, and no further than so much', async () => {
  const [readable, writable] = [new PassThrough(), new PassThrough()];
  const say = (message: object) => readable.write(`${JSON.stringify(message)}\0`);
  const ASKED = 40;
  let answered = 0;
  /** As a browser does whose page has all those pictures. */
  const hear = ({ id, method }: { id: number; method: string }) => {
    if (method === 'Page.navigate')
      for (let each = 0; each < ASKED; each++)
        say({
          method: 'Fetch.requestPaused',
          params: { requestId: `${each}`, request: { url: `http://a.example/${each}.png`, method: 'GET' } },
        });
    if (method.startsWith('Fetch.') && method !== 'Fetch.enable' && ++answered === ASKED)
      say({ method: 'Page.loadEventFired', params: {} });
    const data = Buffer.from('RIFF....WEBP').toString('base64');
    say({ id, result: method === 'Page.captureScreenshot' ? { data } : { targetId: 't', sessionId: 's' } });
  };
  let text = '';
  writable.on('data', (chunk: Buffer) => {
    const messages = (text + chunk).split('\0');
    text = messages.pop() as string;
    for (const message of messages) hear(JSON.parse(message));
  });
  let [now, most, bytes] = [0, 0, 0];
  const body = Buffer.alloc(3 * 1024 * 1024);
  await pictureOfPage(new Devtools(readable, writable), {
    url: 'http://a.example/',
    async answer() {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      bytes += body.length;
      return { status: 200, headers: {}, body };
    },
  });
  assert.ok(most <= 4, `${most} at once`);
  assert.ok(bytes < 40 * 1024 * 1024, `${bytes} bytes`);
});
