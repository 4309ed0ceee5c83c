import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '#testkit/free-port.ts';
import { commandOf, descendants } from './proc.ts';

/** The processes of bench/edge: the edge, nginx with the same job, and the load generator. */
export interface Peer {
  port: number;
  /** The one with TLS. */
  securePort: number;
  /** The one process that does the work. */
  pid: number;
}

/** Debian's own packages; they are tools of this benchmark alone, so nothing else of the project needs them. */
export function ensureTools(): void {
  const isThere = (name: string) => ['/usr/sbin', '/usr/bin'].some((folder) => existsSync(join(folder, name)));
  if (['nginx', 'wrk', 'h2load'].every(isThere)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const packages = ['nginx-light', 'wrk', 'nghttp2-client'];
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env, stdio: 'ignore' });
}

/** Starts a program of this folder that prints `ready: ` and its ports. */
export async function startProgram(
  children: ChildProcess[],
  file: string,
  args: string[],
): Promise<{ ports: number[]; pid: number }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const ports = await new Promise<number[]>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('ready: ')) resolve(line.slice('ready: '.length).split(' ').map(Number));
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return { ports, pid: child.pid as number };
}

/** One worker, tuned as its manual advises: sendfile, open files kept, connections to the site kept, no log. */
export async function startNginx(
  children: ChildProcess[],
  { dir, site, files, key, certificate }: Record<'dir' | 'site' | 'files' | 'key' | 'certificate', string>,
): Promise<Peer> {
  const [port, securePort] = [await freePort(), await freePort()];
  mkdirSync(join(dir, 'nginx'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/nginx/${kind};`,
  );
  const proxy = 'proxy_pass http://site; proxy_http_version 1.1; proxy_set_header Connection "";';
  const forwarded = [
    'proxy_set_header Host $http_host;',
    'proxy_set_header X-Forwarded-For $remote_addr;',
    'proxy_set_header X-Forwarded-Proto $scheme;',
    'proxy_set_header X-Forwarded-Host $http_host;',
    'proxy_set_header X-Real-IP $remote_addr;',
  ].join(' ');
  const file = join(dir, 'nginx.conf');
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${dir}/nginx/pid; error_log stderr warn;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; ${temporary.join(' ')}
  open_file_cache max=1000 inactive=60s;
  proxy_cache_path ${dir}/nginx/cache keys_zone=pages:10m;
  upstream site { server unix:${site}; keepalive 32; }
  server {
    listen 127.0.0.1:${port};
    listen 127.0.0.1:${securePort} ssl http2;
    ssl_certificate ${certificate}; ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;
    location / { ${proxy} ${forwarded} }
    location /page { ${proxy} ${forwarded} proxy_cache pages; add_header X-Cache $upstream_cache_status; }
    location /wp-content/ { alias ${files}/; expires 10m; add_header X-Content-Type-Options nosniff; gzip_static on; gzip_vary on; }
  }
}`,
  );
  const master = spawn('/usr/sbin/nginx', ['-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(master);
  for (let tries = 0; tries < 100; tries++) {
    const worker = descendants(master.pid as number).find((pid) => commandOf(pid).includes('nginx: worker'));
    if (worker) return { port, securePort, pid: worker };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx did not start');
}

/** Asks for an address by as many connections as a few visitors have, and resolves with the number of answers; anything but 2xx is an error. */
export async function runWrk(url: string, headers: string[], durationS: number): Promise<number> {
  const options = headers.flatMap((header) => ['-H', header]);
  const output = await outputOf('wrk', ['-t1', '-c16', `-d${durationS}s`, ...options, url]);
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`wrk on ${url}: ${output}`);
  return Number(/(\d+) requests in/.exec(output)?.[1]);
}

/** The same by HTTP/2, with as many requests at once on each connection as a page has files. */
export async function runH2load(url: string, headers: string[], durationS: number): Promise<number> {
  const options = headers.flatMap((header) => ['-H', header.replace(/^Host:/, ':authority:')]);
  const output = await outputOf('h2load', ['-c16', '-m8', `-D${durationS}`, ...options, url]);
  const [, answered = 0, failed] = /(\d+) succeeded, (\d+) failed/.exec(output) ?? [];
  if (!/Application protocol: h2/.test(output) || failed !== '0') throw new Error(`h2load on ${url}: ${output}`);
  return Number(answered);
}

async function outputOf(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

export async function endAll(children: ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await exited;
  }
}

/** What a WordPress start page with a few posts looks like in size and in how well it compresses. */
export function makePage(): string {
  const words = readFileSync(new URL('../LICENSE', import.meta.url), 'utf8').split(/\s+/);
  const posts = Array.from({ length: 24 }, (_, index) => {
    const text = words.slice(index * 55, index * 55 + 220).join(' ');
    return `<article id="post-${index}" class="post type-post status-publish format-standard hentry category-news">
<h2 class="wp-block-post-title"><a href="https://blog.example.org/2026/11/post-${index}/">Post number ${index}</a></h2>
<div class="entry-content wp-block-post-content is-layout-flow"><p>${text}</p></div></article>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="UTF-8"><title>Blog</title></head><body>${posts.join('\n')}</body></html>`;
}
