import type { Account } from '#core/db/embedded/account.ts';
import { type RunningServer, Supervised } from '#core/db/embedded/supervised.ts';
import { connect, type ServerAccess } from '../server-access.ts';
import { end, findServer } from './process.ts';

interface ServerOptions {
  account: Account;
  program: string;
  args: string[];
  cluster: string;
  pidFile: string;
  logFile: string;
  access: ServerAccess;
  say: (line: string) => void;
}

/** One MariaDB, started again whenever it dies. Call it only under the lock of the data dir. */
export class Server {
  readonly #options: ServerOptions;
  readonly #supervised: Supervised;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { logFile, say } = options;
    this.#supervised = new Supervised({
      name: 'MariaDB',
      logFile,
      say,
      launch: () => this.#launch(),
      isReady: () => this.#answers(),
      end,
    });
  }

  async start(): Promise<void> {
    const { pidFile, cluster } = this.#options;
    try {
      const orphan = findServer(pidFile, cluster);
      const adopted = orphan && (await this.#adopt(orphan));
      if (orphan && !adopted) await end(orphan);
      this.#supervised.keep(adopted ?? (await this.#launch()));
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.#supervised.stop();
  }

  /** One with other settings, or of another installation, is not what was asked for; nor is one that knows another password. */
  async #adopt(orphan: RunningServer & { command: string[] }): Promise<RunningServer | undefined> {
    const { program, args, say } = this.#options;
    if ([program, ...args].join('\0') !== orphan.command.join('\0')) return undefined;
    this.#supervised.log.mark();
    if (!(await this.#answers())) return undefined;
    say(`Adopted the MariaDB that a killed Siteyard left running (pid ${orphan.pid}).`);
    return orphan;
  }

  #launch(): Promise<RunningServer> {
    const { account, program, args } = this.#options;
    return this.#supervised.begin(account, program, args);
  }

  async #answers(): Promise<boolean> {
    try {
      const connection = await connect(this.#options.access);
      await connection.end();
      return true;
    } catch {
      return false;
    }
  }
}
