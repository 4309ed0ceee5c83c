import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, mock, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from './database.ts';
import { Listener } from './listener.ts';

/** "You are in" and "go ahead", in the words of Postgres. */
const GREETING = Buffer.from('5200000008000000005a0000000549', 'hex');
const log = { warn() {} } as unknown as ConstructorParameters<typeof Listener>[1];

let server: Server;
let url: string;
const sockets = new Set<Socket>();
before(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `postgres://somebody@127.0.0.1:${(server.address() as AddressInfo).port}/any`;
});
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('a database that stops answering after its greeting is given up, so that it can be tried again', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const listener = new Listener(url, log);
  await listener.on('anything', () => {});
  const connecting = listener.connect();
  const [socket] = (await once(server, 'connection')) as [Socket];
  await once(socket, 'data');
  socket.write(GREETING);
  const [asked] = await once(socket, 'data');
  assert.match(String(asked), /listen "anything"/);
  mock.timers.tick(4_000);
  await assert.rejects(connecting, /Connection terminated/);
});

test('who waits for a connection that is being made when the database falls silent is told at once', async () => {
  const { db, cut, close } = openDatabase(url, 1, () => {});
  const asking = sql`select 1`.execute(db).then(
    () => 'answered',
    () => 'told',
  );
  const [socket] = (await once(server, 'connection')) as [Socket];
  await once(socket, 'data');
  const begunMs = performance.now();
  cut();
  assert.equal(await asking, 'told');
  assert.ok(performance.now() - begunMs < 2_000, 'it was told by the limit of connecting alone');
  await close();
});
