import { hostname } from 'node:os';
import type { Command } from 'commander';
import { type ApiError, sleep } from '../../../sdk/index.ts';
import { askText, readInput } from '../ask.ts';
import { openInBrowser } from '../browser.ts';
import type { Cli } from '../cli.ts';
import { cancelled, Stop } from '../exit.ts';
import { addressOf } from '../settings.ts';
import type { GetCli } from './shared.ts';

interface Flags {
  token?: string | boolean;
  browser: boolean;
}

export function build(command: Command, getCli: GetCli): void {
  command
    .argument('[address]', 'the platform, such as panel.example.com')
    .option('--token [token]', 'with an API token, given here or on stdin, instead of in the browser')
    .option('--no-browser', 'only show the address and the code')
    .addHelpText('after', LOGIN_HELP)
    .action(async (address: string | undefined, flags: Flags) => {
      const cli = await getCli();
      const host = await whichHost(cli, address);
      cli.requirePrivate(host);
      const token = flags.token ? await readToken(flags.token) : await tokenByCode(cli, host, flags.browser);
      const me = await cli.clientOf(host, token).getMe();
      cli.settings.signIn(host, token);
      cli.screen.done(`Signed in to ${host} as ${me.email}.`);
      if (cli.settings.isTokenFromEnvironment(host))
        cli.screen.note('SITEYARD_TOKEN is set and counts before this one.');
    });
}

const LOGIN_HELP = `
In the browser you type the code that is shown here, and choose what the token may do.
It is kept in a file that only you can read; \`siteyard logout\` ends it.

  $ siteyard login panel.example.com
  $ siteyard login panel.example.com --token < token.txt`;

async function whichHost(cli: Cli, address: string | undefined): Promise<string> {
  const named = address ?? cli.settings.host(cli.hostFlag);
  const advice = 'Name the platform: siteyard login panel.example.com';
  const text = named ?? (await askText(cli, 'Where is the platform?', { placeholder: 'panel.example.com', advice }));
  try {
    return addressOf(text);
  } catch {
    throw new Stop(`“${text}” is no address.`, { advice });
  }
}

async function readToken(flag: string | true): Promise<string> {
  const token = String(flag === true ? await readInput() : flag).trim();
  if (token === '') throw new Stop('There was no token on stdin.', { advice: 'siteyard login --token < token.txt' });
  return token;
}

/** The program shows a code, a browser confirms it, wherever that is (RFC 8628). */
async function tokenByCode(cli: Cli, host: string, browser: boolean): Promise<string> {
  const client = cli.clientOf(host);
  const codes = await client.beginDeviceSignIn({ body: { client_name: `siteyard on ${hostname()}`.slice(0, 100) } });
  const { screen } = cli;
  screen.note(`Your code: ${screen.paint('bold', codes.user_code)}`);
  // What it answers is not yet to be trusted with more than its own pages.
  const isItsOwn = codes.verification_uri.startsWith(`${host}/`);
  const opened = browser && isItsOwn && screen.isInteractive && (await openInBrowser(cli, codes.verification_uri));
  screen.note(`${opened ? 'Opened' : 'Open'} ${codes.verification_uri} and type the code there.`);
  const leave = new AbortController();
  const stop = () => leave.abort();
  process.once('SIGINT', stop);
  let waitSeconds = codes.interval;
  try {
    for (;;) {
      await sleep(waitSeconds * 1000, leave.signal);
      try {
        const { access_token } = await client.exchangeDeviceCode({ body: { device_code: codes.device_code } });
        return access_token;
      } catch (error) {
        const { code } = error as ApiError;
        if (code === 'device_sign_in.slow_down') waitSeconds += 5;
        else if (code === 'device_sign_in.refused') throw cancelled('The sign-in was refused in the browser.');
        else if (code !== 'device_sign_in.pending') throw error;
      }
    }
  } catch (error) {
    throw leave.signal.aborted ? cancelled('Cancelled: you are not signed in.') : error;
  } finally {
    process.off('SIGINT', stop);
  }
}
