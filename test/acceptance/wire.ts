import { connect } from 'node:net';

/** An HTTP client that sends any bytes at all, for requests that no decent client would make. */
export interface WireAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/** Undefined when the connection closed without an answer. */
export function exchange(port: number, bytes: Buffer, timeoutMs = 90_000): Promise<WireAnswer | undefined> {
  const isHead = bytes.subarray(0, 5).toString('latin1') === 'HEAD ';
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1');
    const finish = (closed: boolean) => {
      const answer = parse(received, isHead, closed);
      if (!answer && !closed) return;
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`no answer in ${timeoutMs} ms, only ${JSON.stringify(received.toString('latin1').slice(0, 200))}`),
      );
    }, timeoutMs);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      finish(false);
    });
    socket.on('close', () => finish(true));
    // The server may hang up on what it refuses while we still send; what it said before counts.
    socket.on('error', () => {});
    socket.write(bytes);
  });
}

/** The answer in these bytes, undefined while some of it is still to come. */
function parse(received: Buffer, isHead: boolean, closed: boolean): WireAnswer | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = received.subarray(end + 4);
  if (status < 200) return parse(rest, isHead, closed);
  const headers = new Map(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  // A stream of events never ends; that it began is the answer.
  const isEmpty = isHead || status === 304 || headers.get('content-type')?.startsWith('text/event-stream');
  const body = isEmpty ? '' : readBody(rest, headers, closed);
  return body === undefined ? undefined : { status, headers, body };
}

function readBody(rest: Buffer, headers: Map<string, string>, closed: boolean): string | undefined {
  const length = headers.get('content-length');
  if (length !== undefined) return rest.length >= Number(length) ? rest.toString('utf8') : undefined;
  if (headers.get('transfer-encoding') !== 'chunked') return closed ? rest.toString('utf8') : undefined;
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16);
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
    if (at > rest.length) return undefined;
  }
}
