import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { newSshKey } from '#integrations/git/ssh-key.ts';
import { eventually } from '../expect.ts';
import { freePort } from '../free-port.ts';

/** A real sshd on loopback that lets the keys in that are written for it, as whoever runs the tests. */
export interface SshHost {
  port: number;
  user: string;
  authorize(publicKey: string): Promise<void>;
  /** Shows another key of its own from now on. */
  changeKey(): Promise<void>;
  close(): Promise<void>;
}

export async function startSshd(): Promise<SshHost> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-sshd-'));
  const port = await freePort();
  const file = (name: string) => join(folder, name);
  const writeHostKey = () => writeFile(file('host-key'), newSshKey('host').privateKey, { mode: 0o600 });
  await writeHostKey();
  await writeFile(file('authorized'), '');
  // Where sshd puts its unprivileged half; packages make it when the service starts.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const settings = `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${file('host-key')}\nAuthorizedKeysFile ${file('authorized')}
PidFile none\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n`;
  await writeFile(file('config'), settings);
  const start = () => spawn('/usr/sbin/sshd', ['-D', '-e', '-f', file('config')], { stdio: 'ignore' });
  let child = start();
  const ready = () => eventually(() => answers(port));
  const stop = async () => {
    const end = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await end;
  };
  await ready();
  return {
    port,
    user: userInfo().username,
    authorize: (publicKey) => writeFile(file('authorized'), `${publicKey}\n`),
    async changeKey() {
      await stop();
      await writeHostKey();
      child = start();
      await ready();
    },
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(socket.destroy() !== undefined)).once('error', () => resolve(false));
  });
}
