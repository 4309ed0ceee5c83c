// What SFTP, version 3, looks like on the wire (draft-ietf-secsh-filexfer-02). A name is bytes; as latin1 it is text with a character for each of
// them, on which the usual functions work.
const ASKED = {
  INIT: 1,
  OPEN: 3,
  CLOSE: 4,
  READ: 5,
  WRITE: 6,
  LSTAT: 7,
  FSTAT: 8,
  SETSTAT: 9,
  FSETSTAT: 10,
  OPENDIR: 11,
  READDIR: 12,
  REMOVE: 13,
  MKDIR: 14,
  RMDIR: 15,
  REALPATH: 16,
  STAT: 17,
  RENAME: 18,
  READLINK: 19,
  SYMLINK: 20,
  EXTENDED: 200,
};
const ANSWER = { VERSION: 2, STATUS: 101, HANDLE: 102, DATA: 103, NAME: 104, ATTRS: 105, EXTENDED_REPLY: 201 };
const CODE = { OK: 0, END: 1, MISSING: 2, DENIED: 3, FAILURE: 4, BAD: 5, UNKNOWN: 8 };
const [HAS_SIZE, HAS_OWNER, HAS_MODE, HAS_TIMES, HAS_MORE] = [1, 2, 4, 8, 0x80000000];
const LONGEST_PACKET = 260 * 1024;

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  take(length) {
    const end = this.at + length;
    if (end > this.bytes.length) throw new Refused(CODE.BAD, 'The request is cut off.');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }
  number() {
    return this.take(4).readUInt32BE();
  }
  offset() {
    const value = this.take(8).readBigUInt64BE();
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Refused(CODE.FAILURE, 'No file is that long.');
    return Number(value);
  }
  data() {
    return this.take(this.number());
  }
  text() {
    const text = this.data().toString('latin1');
    if (text.includes('\0')) throw new Refused(CODE.MISSING, 'No name holds a NUL.');
    return text;
  }
  attributes() {
    const flags = this.number();
    const found = {};
    if (flags & HAS_SIZE) found.size = this.offset();
    if (flags & HAS_OWNER) this.take(8);
    if (flags & HAS_MODE) found.mode = this.number() & 0o777;
    if (flags & HAS_TIMES) found.times = [this.number(), this.number()];
    if (flags & HAS_MORE)
      for (let left = this.number(); left > 0; left--) this.take(this.number()) && this.take(this.number());
    return found;
  }
}

const number = (value) => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const long = (value) => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};
const text = (value) => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([number(bytes.length), bytes]);
};
const seconds = (ms) => Math.min(Math.max(0, Math.floor(ms / 1000)), 0xffffffff);
const attributesOf = (stat) =>
  Buffer.concat([
    number(HAS_SIZE | HAS_OWNER | HAS_MODE | HAS_TIMES),
    long(stat.size),
    number(stat.uid),
    number(stat.gid),
    number(stat.mode),
    number(seconds(stat.atimeMs)),
    number(seconds(stat.mtimeMs)),
  ]);

/** The line that clients show for `ls -l`. */
function longName(name, stat) {
  const kind = stat.isDirectory() ? 'd' : stat.isSymbolicLink() ? 'l' : '-';
  const rights = [6, 3, 0].map((by) =>
    ['r', 'w', 'x'].map((right, i) => ((stat.mode >> by) & (4 >> i) ? right : '-')).join(''),
  );
  const when = stat.mtime.toISOString().slice(0, 16).replace('T', ' ');
  const line = `${kind}${rights.join('')} ${stat.nlink} site site ${String(stat.size).padStart(10)} ${when} `;
  return Buffer.concat([Buffer.from(line), name]);
}

/** Answers one packet after another, and takes no more of them than are read at the other end. */
function serve(answerTo) {
  const { stdin, stdout } = process;
  let waiting = [];
  let bytes = 0;
  let wanted = 4;
  const next = () => {
    while (bytes >= wanted) {
      const all = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
      const length = all.readUInt32BE();
      if (length === 0 || length > LONGEST_PACKET) process.exit(1);
      const isWhole = all.length >= 4 + length;
      waiting = [isWhole ? all.subarray(4 + length) : all];
      bytes = waiting[0].length;
      // Nothing is put together before there is a whole packet of it.
      wanted = isWhole ? 4 : 4 + length;
      if (isWhole && !send(answerTo(all[4], new Reader(all.subarray(5, 4 + length))))) {
        stdin.pause();
        return void stdout.once('drain', next);
      }
    }
    stdin.resume();
  };
  const send = ([kind, ...parts]) => {
    const body = Buffer.concat([Buffer.from([kind]), ...parts]);
    return stdout.write(Buffer.concat([number(body.length), body]));
  };
  stdin.on('data', (chunk) => {
    waiting.push(chunk);
    bytes += chunk.length;
    if (!stdout.writableNeedDrain) next();
  });
  stdin.on('end', () => process.exit(0));
  stdout.on('error', () => process.exit(0));
}

module.exports = { ASKED, ANSWER, CODE, LONGEST_PACKET, Refused, attributesOf, long, longName, number, serve, text };
