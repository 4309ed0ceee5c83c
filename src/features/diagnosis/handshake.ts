import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

/** Agrees on keys with whoever is there, whatever their certificate. Over when the signal says so, however slowly they still talk. */
export async function handshake(socket: Socket, servername: string, signal: AbortSignal): Promise<TLSSocket> {
  const tls = connect({ socket, servername, rejectUnauthorized: false });
  const end = () => tls.destroy(new Error('it took too long'));
  try {
    await new Promise<void>((resolve, reject) => {
      tls.once('secureConnect', resolve).on('error', reject);
      tls.once('close', () => reject(new Error('the connection was closed')));
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
    return tls;
  } catch (error) {
    tls.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
