import { setTimeout as sleep } from 'node:timers/promises';
import type { PictureWish } from '#core/browser.ts';
import { InTurn } from '#core/in-turn.ts';
import type { Devtools } from './devtools.ts';

const PAGE = { width: 1280, height: 800 };
/** 960 x 600 for a card of half the width on a dense screen. */
const SCALE = 0.75;
const QUALITY = 72;
const LOAD_MS = 30_000;
/** For fonts and what is painted last. */
const SETTLE_MS = 400;
const AGAIN_MS = 2_000;
const MAX_REQUESTS = 150;
const MAX_PICTURE_BYTES = 1024 * 1024;
const MAX_BYTES = 24 * 1024 * 1024;
/** A page asks for all of its pictures at once; whatever is being answered is in our memory, twice. */
const AT_ONCE = 4;
/** Of an answer, what a picture needs; a cookie is none of it. */
const PASSED_HEADERS = new Set(['content-type', 'location', 'content-language', 'link']);

interface Paused {
  requestId: string;
  request: { url: string; method: string };
}

/** Opens a page with scripts off, answers whatever it asks for ourselves, and takes its picture when it is loaded or long enough under way. */
export async function pictureOfPage(devtools: Devtools, wish: PictureWish): Promise<Buffer> {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const tell = (method: string, params: Record<string, unknown> = {}) =>
    devtools.send(method, params, sessionId as string);
  let requests = 0;
  let bytes = 0;
  const turns = new InTurn();
  const answer = async ({ requestId, request }: Paused) => {
    const url = URL.parse(request.url);
    const isFine = request.method === 'GET' && url !== null && requests <= MAX_REQUESTS && bytes < MAX_BYTES;
    const found = isFine ? await wish.answer(url).catch(() => undefined) : undefined;
    bytes += found?.body.length ?? 0;
    if (!found) return tell('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    const headers = Object.entries(found.headers).filter(([name]) => PASSED_HEADERS.has(name.toLowerCase()));
    return tell('Fetch.fulfillRequest', {
      requestId,
      responseCode: found.status,
      responseHeaders: headers.map(([name, value]) => ({ name, value })),
      body: found.body.toString('base64'),
    });
  };
  // Where the page is gone meanwhile, so is who asked.
  devtools.on('Fetch.requestPaused', (params) => {
    const lane = String(++requests % AT_ONCE);
    void turns.next(lane, () => answer(params as unknown as Paused)).catch(() => {});
  });
  const loaded = new Promise<void>((resolve) => devtools.on('Page.loadEventFired', () => resolve()));
  await tell('Emulation.setScriptExecutionDisabled', { value: true });
  await tell('Emulation.setDeviceMetricsOverride', { ...PAGE, deviceScaleFactor: SCALE, mobile: false });
  await tell('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  await tell('Page.enable');
  const { errorText } = await tell('Page.navigate', { url: wish.url });
  if (errorText) throw new Error(`the page could not be opened: ${errorText}`);
  await Promise.race([loaded, sleep(LOAD_MS)]);
  await sleep(SETTLE_MS);
  const capture = (): Promise<Record<string, unknown>> =>
    tell('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  // A page that goes elsewhere by itself is none for a moment.
  const again = () => sleep(AGAIN_MS).then(capture);
  const { data } = await capture().catch(again).catch(again);
  const picture = Buffer.from(String(data), 'base64');
  if (!isWebp(picture)) throw new Error('the browser gave no picture');
  return picture;
}

const isWebp = (picture: Buffer) =>
  picture.length <= MAX_PICTURE_BYTES &&
  picture.toString('latin1', 0, 4) === 'RIFF' &&
  picture.toString('latin1', 8, 12) === 'WEBP';
