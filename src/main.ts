import { ConfigError, readConfig } from './config.ts';
import { startPlatform } from './platform.ts';

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
