import type { Socket } from 'node:net';
import { pipeline, type Readable, Transform } from 'node:stream';

/** A stream over a connection, with four bytes of length in front of each piece and a piece of none at the end. */
const HEAD_BYTES = 4;

export function sendPieces(source: Readable, socket: Socket): void {
  const framed = new Transform({
    transform(piece: Buffer, _encoding, done) {
      if (piece.length > 0) {
        this.push(headOf(piece.length));
        this.push(piece);
      }
      done();
    },
    flush(done) {
      this.push(headOf(0));
      done();
    },
  });
  pipeline(source, framed, socket, (error) => {
    if (error) socket.destroy();
  });
}

function headOf(length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(length);
  return head;
}

/** What comes over the connection; it fails where that ends before the end was told. */
export function fromPieces(socket: Socket): Readable {
  let head: Buffer = Buffer.alloc(0);
  let left = 0;
  let hasEnded = false;
  const source = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let rest = chunk;
      while (rest.length > 0 && !hasEnded) {
        if (left > 0) {
          this.push(rest.subarray(0, left));
          const taken = Math.min(left, rest.length);
          left -= taken;
          rest = rest.subarray(taken);
          continue;
        }
        const missing = HEAD_BYTES - head.length;
        head = Buffer.concat([head, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (head.length < HEAD_BYTES) break;
        left = head.readUInt32BE();
        head = Buffer.alloc(0);
        hasEnded = left === 0;
      }
      done();
    },
    flush(done) {
      done(hasEnded ? null : new Error('what the host sent was cut off'));
    },
  });
  // An end that nobody hears of is the reader's who left.
  pipeline(socket, source, () => {});
  return source;
}
