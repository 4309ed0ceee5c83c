import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Type } from 'typebox';
import { inTeam } from '#core/policy.ts';
import { letIn, type Person, registerPerson } from '#testkit/app/people.ts';
import { startTestApp, type TestApp } from '#testkit/app/test-app.ts';
import { eventually } from '#testkit/expect.ts';
import { socketOperation } from './operation.ts';
import { Uuid } from './schema.ts';

/** Says hello in a frame of its own, and then sends back whatever comes, frame for frame. */
const greet = socketOperation({
  id: 'greet',
  method: 'GET',
  path: '/test/{team_id}/greet',
  tag: 'test',
  summary: 'A socket that says hello',
  access: inTeam('member'),
  params: Type.Object({ team_id: Uuid }),
  async connect({ caller, subject: teamId }, { socket, accept }) {
    accept();
    socket.write(frameOf(`hello ${caller.fullName} of ${teamId}`));
    socket.on('data', (frame: Buffer) => socket.write(frameOf(textOf(frame))));
  },
});

const frameOf = (message: string) => Buffer.concat([Buffer.from([0x81, message.length]), Buffer.from(message)]);
/** What a client sends is masked. */
const textOf = (frame: Buffer) =>
  frame
    .subarray(6)
    .map((byte, at) => byte ^ (frame[2 + (at % 4)] as number))
    .toString();

let app: TestApp;
let ada: Person;
let viewer: Person;
let stranger: Person;
before(async () => {
  app = await startTestApp({ operations: [greet], env: { RATE_LIMIT_FACTOR: '10' } });
  ada = await registerPerson(app, 'Ada');
  viewer = await registerPerson(app, 'Viewer');
  stranger = await registerPerson(app, 'Stranger');
  await letIn(ada, viewer, 'viewer');
});
after(() => app?.close());

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
const addressIn = (teamId: string) => `/f/api/v1/test/${teamId}/greet`;

interface Asked {
  status: number;
  code: string | undefined;
  headers: IncomingMessage['headers'];
  socket: Socket | undefined;
}

/** Asks to leave HTTP for a WebSocket, and tells what became of it. */
function ask(path: string, headers: Record<string, string> = {}, to = app): Promise<Asked> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16, 7).toString('base64'),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(to.url + path, { headers: { ...handshake, ...headers } });
    request.on('error', reject).on('upgrade', ({ statusCode = 0, headers }, socket) => {
      resolve({ status: statusCode, code: undefined, headers, socket: socket as Socket });
    });
    request.on('response', async (response) => {
      const { code } = JSON.parse((await text(response)) || '{}');
      resolve({ status: response.statusCode ?? 0, code, headers: response.headers, socket: undefined });
    });
    request.end();
  });
}

const refusal = async (path: string, headers?: Record<string, string>) => {
  const { status, code, socket } = await ask(path, headers);
  assert.equal(socket, undefined);
  return [status, code];
};

test('a declared socket is opened for whoever its policy lets in, as a browser understands it', async () => {
  const url = `${app.url.replace('http', 'ws')}${addressIn(ada.teamId)}`;
  const socket = new WebSocket(url, { headers: bearer(ada) } as unknown as string[]);
  const messages: string[] = [];
  socket.addEventListener('message', ({ data }) => messages.push(data));
  socket.addEventListener('open', () => socket.send('are you there?'));
  await eventually(async () => messages.length === 2);
  assert.deepEqual(messages, [`hello Ada Tester of ${ada.teamId}`, 'are you there?']);
  socket.close();
});

test('a socket is refused like any other call: sign-in, ids, what may not be known, what may not be done', async () => {
  const address = addressIn(ada.teamId);
  assert.deepEqual(await refusal(address), [401, 'auth.required']);
  assert.deepEqual(await refusal(address, bearer({ token: 'wrong' })), [401, 'auth.required']);
  assert.deepEqual((await refusal(addressIn('nonsense'), bearer(ada)))[0], 422);
  assert.deepEqual(await refusal(address, bearer(stranger)), [404, 'team.not_found']);
  assert.deepEqual(await refusal(address, bearer(viewer)), [403, 'auth.forbidden']);
  const { headers } = await ask(address, bearer(viewer));
  assert.ok(headers['x-request-id'] && headers['ratelimit-limit']);
  assert.equal(headers.connection, 'close');
});

test('a cookie opens a socket for our own pages alone', async () => {
  const address = addressIn(ada.teamId);
  const cookie = `session=${ada.token}`;
  const foreign = [403, 'auth.foreign_origin'];
  assert.deepEqual(await refusal(address, { cookie, origin: 'http://evil.example' }), foreign);
  assert.deepEqual(await refusal(address, { cookie, origin: 'null' }), foreign);
  assert.deepEqual(await refusal(address, { cookie }), foreign);
  const own = await ask(address, { cookie, origin: app.url });
  assert.equal(own.status, 101);
  own.socket?.destroy();
});

test('nothing but a declared socket leaves HTTP, and that one has no other answer', async () => {
  assert.deepEqual(await refusal('/f/api/v1/me', bearer(ada)), [200, undefined]);
  assert.deepEqual(await refusal('/f/api/v1/event/nowhere/greet', bearer(ada)), [404, 'route.not_found']);
  assert.deepEqual(await refusal(`${addressIn(ada.teamId)}/more`, bearer(ada)), [404, 'route.not_found']);
  const other = await refusal(addressIn(ada.teamId), { ...bearer(ada), upgrade: 'h2c' });
  assert.deepEqual(other, [426, 'request.upgrade_required']);
  const plain = await fetch(app.url + addressIn(ada.teamId), { headers: bearer(ada) });
  assert.equal(plain.status, 426);
  const short = { ...bearer(ada), 'sec-websocket-key': 'short' };
  assert.deepEqual(await refusal(addressIn(ada.teamId), short), [400, 'request.malformed']);
  const old = { ...bearer(ada), 'sec-websocket-version': '8' };
  assert.deepEqual(await refusal(addressIn(ada.teamId), old), [400, 'request.malformed']);
});

test('a socket counts against the rate limit, and as one of the streams that a person may have open', async () => {
  const limited = await startTestApp({ operations: [greet], env: { RATE_LIMIT_FACTOR: '0.2' } });
  try {
    const bob = await registerPerson(limited, 'Bob');
    const open = () => ask(addressIn(bob.teamId), bearer(bob), limited);
    const sockets: (Socket | undefined)[] = [];
    for (let n = 0; n < 30; n++) sockets.push((await open()).socket);
    assert.ok(sockets.every((socket) => socket !== undefined));
    const { status, code } = await open();
    assert.deepEqual([status, code], [429, 'event.too_many_streams']);
    sockets[0]?.destroy();
    await eventually(async () => (await open()).status === 101);
    const caller = await limited.services.credentials.resolve(bob.token);
    while (!limited.services.limits.take('read', caller?.credential.id as string).exceeded);
    assert.equal((await open()).code, 'rate_limit.exceeded');
  } finally {
    // With sockets open, which end.
    await limited.close();
  }
});

test('an open socket ends when its caller may no longer', async () => {
  const carl = await registerPerson(app, 'Carl');
  await letIn(ada, carl, 'member');
  const { socket } = await ask(addressIn(ada.teamId), bearer(carl));
  assert.ok(socket);
  const closed = once(socket.resume(), 'close');
  await ada.api.removeMember({ params: { team_id: ada.teamId, team_member_user_id: carl.userId } });
  await closed;
  assert.deepEqual(await refusal(addressIn(ada.teamId), bearer(carl)), [404, 'team.not_found']);
});

test('the document tells of the socket', async () => {
  const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as {
    paths: Record<string, { get: { responses: Record<string, unknown> } }>;
  };
  const { responses } = document.paths['/f/api/v1/test/{team_id}/greet']?.get ?? { responses: {} };
  assert.equal(responses[200], undefined);
  for (const status of [101, 400, 401, 403, 404, 422, 426, 429, 500, 503]) assert.ok(responses[status], String(status));
});
