import WebSocket from 'ws';
import type { Cli } from './cli.ts';
import { EXIT, Stop } from './exit.ts';

const ACKNOWLEDGE_BYTES = 32 * 1024;
const INPUT_CHARACTERS = 8 * 1024;
const CLOSED: Record<number, string> = {
  4001: 'This terminal was opened elsewhere.',
  4002: 'The terminal was closed, because nothing happened in it for a long time.',
  4003: 'The terminal was ended.',
  4004: 'The site is being worked on, so its terminals were closed.',
  4005: 'The terminal has ended.',
  4006: 'The team has as many terminals open as it may. Close some first.',
  4008: 'You may no longer use a terminal of this site.',
};

/** Sits at a shell of the site, over the socket that the dashboard's terminal uses (docs/decisions/0035). Resolves with the shell's exit code. */
export async function openTerminal(cli: Cli, fqdn: string, forStage: boolean): Promise<number> {
  const { ticket, socket_path } = await cli.client.createTerminal({ params: { fqdn }, body: { for_stage: forStage } });
  const { columns = 80, rows = 24 } = process.stdout;
  const query = new URLSearchParams({ ticket, columns: String(columns), rows: String(rows) });
  const socket = new WebSocket(`${cli.host().replace(/^http/, 'ws')}${socket_path}?${query}`);
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const escapes = new Escapes();
  const type = (text: string) => {
    if (escapes.isLeft(text)) {
      socket.close();
      return;
    }
    for (let at = 0; at < text.length; at += INPUT_CHARACTERS)
      send({ t: 'in', d: text.slice(at, at + INPUT_CHARACTERS) });
  };
  const resize = () => send({ t: 'size', columns: process.stdout.columns, rows: process.stdout.rows });
  const { stdin } = process;
  stdin.setEncoding('utf8').setRawMode(true).on('data', type).resume();
  process.stdout.on('resize', resize);
  try {
    return await new Promise<number>((resolve, reject) => {
      let drawn = 0;
      let exitCode: number | undefined;
      socket.on('message', (data: Buffer, isBinary) => {
        if (!isBinary) {
          const message = JSON.parse(data.toString()) as { t: string; code?: number };
          if (message.t === 'exit') exitCode = message.code;
          return;
        }
        // What the terminal has not taken yet is not acknowledged, so a flood waits there.
        process.stdout.write(data, () => {
          drawn += data.length;
          if (drawn < ACKNOWLEDGE_BYTES) return;
          send({ t: 'ack', n: drawn });
          drawn = 0;
        });
      });
      socket.on('error', (error) => reject(new Stop(`The terminal can not be reached: ${error.message}`)));
      socket.on('close', (code, reason) => {
        if (exitCode !== undefined) resolve(exitCode);
        else if (escapes.wasLeft) resolve(EXIT.ok);
        else reject(new Stop(CLOSED[code] ?? (String(reason) || 'The connection is lost.')));
      });
    });
  } finally {
    process.stdout.off('resize', resize);
    stdin.off('data', type).setRawMode(false).pause();
  }
}

/** `~.` on a line of its own leaves, as with ssh; the shell then waits for a while. */
class Escapes {
  wasLeft = false;
  #last = '\r';

  isLeft(text: string): boolean {
    for (const key of text) {
      if (this.#last === '\r~' && key === '.') this.wasLeft = true;
      this.#last = key === '~' && this.#last === '\r' ? '\r~' : key === '\n' ? '\r' : key;
    }
    return this.wasLeft;
  }
}
