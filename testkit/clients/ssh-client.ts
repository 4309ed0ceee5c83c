import { once } from 'node:events';
import ssh2, { type ClientChannel, type ConnectConfig, type SFTPWrapper } from 'ssh2';
import { newSshKey } from '#integrations/git/ssh-key.ts';
import type { Person } from '../app/people.ts';

/** What a client of ssh does, without a machine that has one. */
export interface SshClient {
  client: ssh2.Client;
  closed: Promise<unknown>;
  run(
    command: string,
    input?: Buffer | string,
    options?: ssh2.ExecOptions,
  ): Promise<{ stdout: Buffer; stderr: string; code: number | undefined }>;
  shell(window: ssh2.PseudoTtyOptions): Promise<ClientChannel>;
  sftp(): Promise<SFTPWrapper>;
}

/** A new key of somebody; the private half. */
export async function addKey({ api }: Pick<Person, 'api'>): Promise<{ id: string; privateKey: string }> {
  const { publicKey, privateKey } = newSshKey('a test');
  const { id } = await api.createSshKey({ body: { public_key: publicKey } });
  return { id, privateKey };
}

/** Rejects where nobody is let in. */
export async function connectSsh(config: ConnectConfig): Promise<SshClient> {
  const client = new ssh2.Client();
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.connect({ host: '127.0.0.1', readyTimeout: 60_000, ...config });
  await once(client, 'ready');
  client.on('error', () => {});
  client.setNoDelay(true);
  const call = <T>(act: (done: (error: Error | undefined, value: T) => void) => unknown) =>
    new Promise<T>((resolve, reject) => act((error, value) => (error ? reject(error) : resolve(value))));
  return {
    client,
    closed,
    async run(command, input, options = {}) {
      const exit = Promise.withResolvers<number | undefined>();
      const channel = await call<ClientChannel>((done) =>
        client.exec(command, options, (error, opened) => {
          // A refusal may arrive in the same packet, before a listener that is attached later.
          opened?.on('exit', exit.resolve);
          done(error, opened);
        }),
      );
      const [stdout, stderr]: Buffer[][] = [[], []];
      channel.on('data', (bytes: Buffer) => stdout?.push(bytes));
      channel.stderr.on('data', (bytes: Buffer) => stderr?.push(bytes));
      const over = once(channel, 'close').then(() => exit.resolve(undefined));
      channel.end(input);
      await over;
      return {
        stdout: Buffer.concat(stdout ?? []),
        stderr: Buffer.concat(stderr ?? []).toString(),
        code: await exit.promise,
      };
    },
    shell: (window) => call((done) => client.shell(window, done)),
    sftp: () => call((done) => client.sftp(done)),
  };
}
