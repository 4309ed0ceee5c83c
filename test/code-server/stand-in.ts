import { chmod, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '#runtimes/editor/code-server.ts';
import { prepareWordPress, WORDPRESS_CACHE } from '#testkit/drivers/wordpress-cache.ts';

/**
 * A cache with a package that is started as code-server is and takes the socket as it does, for whoever tests the door and not VS Code. It says what it
 * was asked, writes a file where it is told to, and sends back what comes over a socket.
 */
export async function standInCache(): Promise<string> {
  const cache = await mkdtemp(join(tmpdir(), 'editor-cache-'));
  const folder = join(cache, PACKAGE_FOLDER, 'out/node');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'cli.js'),
    'exports.parse = (args) => args; exports.setDefaults = async (args) => args;',
  );
  await writeFile(join(folder, 'main.js'), MAIN);
  return cache;
}

/** The same for a driver that runs WordPress, which it finds there too. */
export async function standInCacheWithWordPress(): Promise<string> {
  const [cache] = await Promise.all([standInCache(), prepareWordPress()]);
  const tools = (await readdir(join(WORDPRESS_CACHE, 'tools'))).map((name) => join('tools', name));
  for (const path of ['images', 'wordpress', ...tools])
    if (path !== PACKAGE_FOLDER) await symlink(join(WORDPRESS_CACHE, path), join(cache, path));
  // Sites of every user read it.
  await chmod(cache, 0o755);
  return cache;
}

const MAIN = `
const { createServer } = require('node:http');
const { writeFileSync } = require('node:fs');
exports.runCodeServer = async (args) => {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://editor');
    if (url.pathname === '/write') writeFileSync(url.searchParams.get('to'), url.searchParams.get('text'));
    response.setHeader('set-cookie', ['vscode-tkn=1', 'siteyard_editor=stolen']);
    response.end(JSON.stringify({ url: request.url, method: request.method, headers: request.headers, args, env: process.env }));
  });
  server.on('upgrade', (request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\n\\r\\n');
    socket.pipe(socket);
  });
  server.listen({ fd: 3 });
};
`;
