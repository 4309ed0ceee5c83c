import { createClient } from '#sdk';
import type { TestApp } from '#testkit/app/test-app.ts';
import { openTerminal } from '#testkit/clients/terminal-client.ts';

/** Somebody who does something with the shell of a site until the process is ended: `node neighbours-attacker.ts <url> <token> <fqdn> <attack>`. */
const [url = '', token = '', fqdn = '', attack = ''] = process.argv.slice(2);
const api = createClient({ baseUrl: url, token });
/** As many commands as a team may run at a time. */
const AT_ONCE = 5;

const COMMANDS: Record<string, string> = {
  bomb: 'f() { f | f & }; f; sleep 100',
  busy: 'for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait',
  memory: `/opt/node/node -e "const a = []; for (;;) a.push(Buffer.alloc(20e6, 1))"`,
  output: 'yes',
  disk: 'while :; do head -c 500M /dev/zero > "big-$$"; sync; done',
  // What `fallocate` does, without a process for each file.
  ask: `perl -e 'my ($call) = @ARGV; for (;;) { for my $i (1 .. 40) { open my $file, ">", "big-$$-$i"; syscall $call, fileno $file, 0, 0, 50_000_000 } unlink glob "big-$$-*" }' ${process.arch === 'arm64' ? 47 : 285}`,
  find: 'while :; do find / -type f -print0 2>/dev/null | xargs -0 -n 200 cat >/dev/null 2>&1; done',
};

async function repeat(cmd: string): Promise<never> {
  for (;;) await api.runSiteCommand({ params: { fqdn }, body: { cmd } }).catch(() => {});
}

if (attack === 'terminals') {
  for (let count = 0; count < AT_ONCE; count++) {
    const terminal = await openTerminal({ url } as TestApp, { api }, fqdn);
    terminal.type('yes "$(head -c 200 /dev/zero | tr \\\\0 x)"\r');
  }
} else for (let count = 0; count < AT_ONCE; count++) void repeat(COMMANDS[attack] ?? 'true');
console.log('ready: 0');
setInterval(() => {}, 60_000);
