import { constants } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureContext, type TLSSocket } from 'node:tls';
import type { AnswerAtOnce } from '../simple/simple-reader.ts';
import { asksFor } from './client-hello.ts';
import { http2Requests } from './http2.ts';

/** Where a front finds what it answers handshakes with. */
export interface Certificates {
  contextFor(name: string): Promise<SecureContext | undefined>;
  /** What an authority that checks a name by TLS is shown. */
  challengeFor(name: string): Promise<SecureContext | undefined>;
  readonly awaitsAuthority: boolean;
}

/** RFC 8737. */
const ACME = 'acme-tls/1';
const HANDSHAKE_MS = 20_000;

/** With forward secrecy and authenticated alone. Those of TLS 1.3 all are. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const SETTINGS = {
  // Node would take the arguments of the program, which are not the same for all processes of a port.
  sessionIdContext: 'siteyard',
  minVersion: 'TLSv1.2' as const,
  ciphers: CIPHERS,
  // The order is ours; but who puts ChaCha20 first has a machine on which AES is slow, and gets it.
  honorCipherOrder: true,
  secureOptions:
    constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION | constants.SSL_OP_PRIORITIZE_CHACHA,
  handshakeTimeout: HANDSHAKE_MS,
};

export interface TlsFront {
  /** What listens. */
  server: NetServer;
  closeQuiet(): void;
  close(): Promise<void>;
}

/**
 * TLS in front of the server that is there already: what speaks HTTP/1.1 inside becomes one of its connections, WebSockets and all, and what speaks
 * HTTP/2 becomes requests of the same kind.
 */
export function openTlsFront(
  { certificates, ticketKeys }: { certificates: Certificates; ticketKeys: Buffer },
  server: Server,
  { handle, atOnce }: { handle: RequestListener; atOnce: AnswerAtOnce },
): TlsFront {
  const http2 = http2Requests(handle, { atOnce });
  const find = (lookUp: (name: string) => Promise<SecureContext | undefined>) => ({
    SNICallback: (name: string, done: (error: Error | null, context?: SecureContext) => void) =>
      void lookUp(name).then(
        (context) => (context ? done(null, context) : done(new Error('no certificate for this name'))),
        (error: Error) => done(error),
      ),
  });
  const visitors = createTlsServer(
    { ...SETTINGS, ...find((name) => certificates.contextFor(name)), ALPNProtocols: ['h2', 'http/1.1'], ticketKeys },
    (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') http2.take(socket);
      else server.emit('connection', socket);
    },
  );
  const authorities = createTlsServer(
    { ...SETTINGS, ...find((name) => certificates.challengeFor(name)), ALPNProtocols: [ACME] },
    // The handshake is all that they came for.
    (socket: TLSSocket) => socket.end(),
  );
  for (const each of [visitors, authorities]) each.on('tlsClientError', (_error, socket) => socket.destroy());
  const open = new Set<Socket>();
  const front: NetServer = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    if (!certificates.awaitsAuthority) return void visitors.emit('connection', socket);
    void asksFor(ACME, socket).then((isAuthority) => {
      if (!socket.destroyed) (isAuthority ? authorities : visitors).emit('connection', socket);
    });
  });
  return {
    server: front,
    closeQuiet() {
      front.close();
      http2.closeQuiet();
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}
