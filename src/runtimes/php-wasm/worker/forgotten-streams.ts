// SPDX-License-Identifier: GPL-2.0-or-later
import type { FileSystem, OpenStream, PHP } from '@php-wasm/universal';

/**
 * PHP's table of descriptors has 4,096 places, and curl can wait for none above 1,024. php-wasm opens its output anew for each
 * request, lays it over the standard streams and forgets to close what it opened; the same goes for the output of programs, for
 * pipes to them, and for a file that could not be opened. So they are closed from out here when a request has ended.
 *
 * Nothing else is: a persistent connection, say of a plugin's own SQLite database, outlives its request, and whoever closed it
 * behind PHP's back would have the next file take its number.
 */
const FORGOTTEN_PATHS = new Set(['/request/stdout', '/request/stderr', '/tmp/popen_output']);
const STANDARD_STREAMS = 3;

export function closeForgotten(fs: FileSystem): void {
  for (const stream of fs.streams) {
    if (stream && stream.fd >= STANDARD_STREAMS && isForgotten(fs, stream)) fs.close(stream);
  }
}

function isForgotten(fs: FileSystem, stream: OpenStream): boolean {
  const isNeverOpened = stream.stream_ops === fs.filesystems.NODEFS.stream_ops && stream.nfd === undefined;
  return FORGOTTEN_PATHS.has(stream.path ?? '') || fs.isFIFO(stream.node.mode) || isNeverOpened;
}

/** The ports on the other side of connections that PHP keeps for its next request. */
export function keptPorts(fs: FileSystem): Set<number> {
  return new Set(fs.streams.flatMap((stream) => stream?.node.sock?.dport ?? []));
}

/** PHP hands its file system to whoever mounts something; here nothing is. */
export async function fileSystemOf(php: PHP): Promise<FileSystem> {
  const { promise, resolve } = Promise.withResolvers<FileSystem>();
  const leave = await php.mount('/', (_php, fs) => {
    resolve(fs);
    return () => {};
  });
  await leave();
  return promise;
}
