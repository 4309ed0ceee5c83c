import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below what Linux gives out by itself, to whoever listens on any port or connects. */
const [FIRST, LAST] = [10_000, 29_999];

/**
 * A port that nobody listens on, and that nobody else takes before its owner does: no file of the same run is given it
 * again, and the system gives it to nobody.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (isFirstToTake(port) && (await isFree(port))) return port;
  }
}

/** All files of a run have the runner as their parent, and share its folder for temporary files. */
function isFirstToTake(port: number): boolean {
  try {
    writeFileSync(join(tmpdir(), `siteyard-port-${process.ppid}-${port}`), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
