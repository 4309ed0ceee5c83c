import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Stripping the types of several hundred modules and compiling them is about a fifth of a start's CPU time, so what came of
// it is kept. Where the folder can not be written, every start does the work again.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/siteyard'));
const { ConfigError, readConfig } = await import('./config.ts');
const { startPlatform } = await import('./platform.ts');
const { DataDirInUseError } = await import('#core/db/embedded/data-dir-lock.ts');

/** The one place that reads the environment and listens to signals. Lines on stdout are for people; logs go to stderr. */
async function main(): Promise<void> {
  const config = readConfig(process.env, process.argv.slice(2));
  const starting = startPlatform(config);

  // Heard from the first moment on: a start that is interrupted ends its Postgres like any other.
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    const platform = await starting;
    platform.services.log.info({ signal }, 'stopping');
    await platform.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const platform = await starting;
  if (platform.madeOperator) {
    const { email, password } = platform.madeOperator;
    console.log(`operator: ${email} with the password ${password} (shown this once)`);
  }
  console.log(`ready: ${platform.url}`);
}

main().catch((error: unknown) => {
  console.error(explain(error));
  process.exit(1);
});

/** A sentence where the operator can mend it, the whole error where only we can. */
function explain(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof DataDirInUseError) return error.message;
  const { code, port } = error as { code?: string; port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is taken; set PORT to another one.`;
  if (code === 'EACCES' && port !== undefined) return `Port ${port} is not for this user; set PORT to one above 1023.`;
  return error;
}
