// SPDX-License-Identifier: GPL-2.0-or-later
import { readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { PHP } from '@php-wasm/universal';
import { answer } from './answer.ts';
import type { DurableFiles } from './durable-files.ts';
import { closeForgotten, keptPorts } from './forgotten-streams.ts';
import type { NetworkGuard } from './network-guard.ts';
import { openOwnWay } from './own-calls.ts';
import { type Booted, mountSite } from './php.ts';
import { type FromParent, PATHS, type Settings, type SiteSettings, tell } from './settings.ts';

/**
 * Serves one site over HTTP on the slot's socket, one request at a time, since there is one PHP. A worker can be warmed
 * on a throw-away copy of the image first; when its site comes, only the folders change.
 */
export function serve({ php, fs, files, room }: Booted, settings: Settings, network: NetworkGuard): void {
  let site: { name: SiteSettings; unmount(): Promise<void> } | undefined;
  // Requests that the parent did not space out wait here for their turn.
  let turn: Promise<unknown> = Promise.resolve();

  const use = async (next: SiteSettings, keeper?: DurableFiles) => {
    await site?.unmount();
    if (next.isOffline) network.cut();
    site = { name: next, unmount: await mountSite(php, settings, next, keeper) };
    await openOwnWay(php, network, next);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    turn = turn.then(async () => {
      if (!site) return void response.writeHead(503).end();
      const { isOffline, folder } = site.name;
      const outbox = join(settings.slot, folder, 'outbox');
      const name = `${request.method} ${request.url}`.slice(0, MAX_REQUEST_NAME);
      tell({ type: 'begin', request: isOffline ? null : name });
      let ranOutOfMemory = false;
      let changed = false;
      try {
        ({ ranOutOfMemory } = await answer(
          php,
          site.name.configName,
          request,
          Buffer.concat(chunks),
          response,
          async () => {
            closeForgotten(fs);
            network.letGo(keptPorts(fs));
            await files.syncAll();
            changed = takePurge(php) && !isOffline;
            return { purge: changed };
          },
          !isOffline,
        ));
      } catch (error) {
        // PHP itself broke, and whatever it does next can not be trusted: answer, then leave.
        console.error(error);
        if (!response.headersSent) response.writeHead(500, { 'x-siteyard-failure': 'crash' });
        response.end(() => process.exit(70));
        setTimeout(() => process.exit(70), 1_000);
        return;
      }
      room.report();
      tell({
        type: 'end',
        outbox: readOutbox(outbox),
        ranOutOfMemory,
        changed,
      });
    });
    await turn;
  };

  // Node takes a connection for idle as soon as all was said, whether it was sent or not: so it is known here.
  const unsent = new Set<ServerResponse>();
  let isRetired = false;
  const leaveWhenSent = () => {
    if (!isRetired || unsent.size > 0) return;
    server.close(() => process.exit(0));
    server.closeIdleConnections();
  };
  const server = createServer({ maxHeaderSize: 64 * 1024, requestTimeout: 0 }, (request, response) => {
    unsent.add(response);
    response.once('close', () => {
      unsent.delete(response);
      leaveWhenSent();
    });
    handle(request, response).catch((error) => {
      // The request broke off before PHP saw it.
      if (request.complete) console.error(error);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 0;

  // A site may come while the worker is still being warmed; it then gets what is warm so far.
  let isAssigned = false;
  const follow = async (message: FromParent) => {
    if (message.type === 'warm') {
      await use(message.site);
      await warm(php, message.site, () => isAssigned);
      closeForgotten(fs);
      tell({ type: 'warmed' });
    } else if (message.type === 'assign') {
      await use(message.site, files);
      room.renew();
      tell({ type: 'serving' });
    } else if (message.type === 'room') room.set(message.bytes, message.beyondBytes);
    else if (message.type === 'retire') {
      // Whoever still reads an answer gets the rest of it.
      isRetired = true;
      leaveWhenSent();
    }
  };
  let orders: Promise<unknown> = Promise.resolve();
  process.on('message', (message: FromParent) => {
    isAssigned ||= message.type === 'assign';
    orders = orders
      .then(() => follow(message))
      .catch((error) => {
        console.error(error);
        process.exit(71);
      });
  });
  server.listen(join(settings.slot, 'http.sock'), () => tell({ type: 'booted' }));
}

/** Longer addresses are cut where they are told. */
const MAX_REQUEST_NAME = 2_000;

/** Once through the front page and the sign-in page: that compiles nearly everything a first visitor would wait for. */
async function warm(php: PHP, site: SiteSettings, isEnough: () => boolean): Promise<void> {
  for (const uri of ['/', '/', '/wp-login.php', '/']) {
    if (isEnough()) return;
    const script = `/site/wordpress${uri === '/' ? '/index.php' : uri}`;
    const result = await php.runStream({
      scriptPath: script,
      relativeUri: uri,
      headers: { host: 'siteyard.invalid' },
      $_SERVER: { SITEYARD_CONFIG: site.configName, SCRIPT_NAME: script.slice('/site/wordpress'.length) },
    });
    await result.finished;
  }
}

/**
 * WordPress leaves this mark when something that pages show has changed: in this PHP's own memory, since another process
 * of the site that took it would tell too soon.
 */
function takePurge(php: PHP): boolean {
  const isMarked = php.isFile(PATHS.purgeMark);
  if (isMarked) php.unlink(PATHS.purgeMark);
  return isMarked;
}

function readOutbox(outbox: string): string[] {
  try {
    return readdirSync(outbox).slice(0, 1_000);
  } catch {
    return [];
  }
}
