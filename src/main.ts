import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Stripping the types of several hundred modules and compiling them is a third of a start's CPU time, so what came of
// it is kept. Where the folder can not be written, every start does the work again.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/siteyard'));
const { ConfigError, readConfig } = await import('./config.ts');
const { startPlatform } = await import('./platform.ts');

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
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
});
