#!/opt/node/node
// Serves a site's files by SFTP, version 3 (draft-ietf-secsh-filexfer-02), on its input and output, as the site's own user in its sandbox: what
// it can not reach there, nobody can ask it for. It answers one request after another, and each is done when it is answered.
//
// Where a machine has no sandbox, SITE_FILES_ROOT is the one folder that there is, shown as SITE_FILES_AT; Node's permission model keeps to
// it too, and no link is followed or made.
const fs = require('node:fs');
const { posix } = require('node:path');
const { ASKED, ANSWER, CODE, LONGEST_PACKET, Refused, ...packets } = require('./sftp-packets.cjs');
const { attributesOf, long, longName, number, serve, text } = packets;

const { VERSION, STATUS, HANDLE, DATA, NAME, ATTRS, EXTENDED_REPLY } = ANSWER;
const { OK, END, MISSING, DENIED, FAILURE, UNKNOWN } = CODE;
const STATUS_OF = { ENOENT: MISSING, ENOTDIR: MISSING, EACCES: DENIED, EPERM: DENIED, ERR_ACCESS_DENIED: DENIED };
const [READS, WRITES, APPENDS, CREATES, EMPTIES, IS_NEW] = [1, 2, 4, 8, 16, 32];
const LONGEST_DATA = 255 * 1024;
const MOST_HANDLES = 100;
/** With the longest names they still fit a packet. */
const NAMES_AT_ONCE = 250;

const { SITE_FILES_ROOT: folder, SITE_FILES_AT: at = '', SITE_FILES_ROOM: given } = process.env;
const root = folder === undefined ? undefined : fs.realpathSync.native(folder, 'buffer');
const start = at || process.cwd();
/** What may still be written; the platform watches the disk as well. */
let room = given === undefined ? Number.POSITIVE_INFINITY : Number(given);
const handles = new Map();
let handleCount = 0;

/** Where a path leads on this machine, as what its functions take. */
function locate(path) {
  const whole = posix.resolve(start, path);
  if (root === undefined) return Buffer.from(whole, 'latin1');
  if (whole !== at && !whole.startsWith(`${at}/`)) throw new Refused(DENIED, 'There is nothing but the content here.');
  const below = (rest) => Buffer.concat([root, Buffer.from(rest, 'latin1')]);
  const parent = below(posix.dirname(whole).slice(at.length));
  if (whole !== at && !fs.realpathSync.native(parent, 'buffer').equals(parent))
    throw new Refused(DENIED, 'This leads over a link.');
  return below(whole.slice(at.length));
}

/** The same for what follows a link, which nothing does without a sandbox. */
function follow(path) {
  const real = locate(path);
  if (root !== undefined && fs.lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Refused(DENIED, 'Links are not followed here.');
  return real;
}

/** Takes from what may still be written, or gives back. */
function grow(bytes) {
  if (bytes > 0 && bytes > room) throw new Refused(FAILURE, 'The storage of the plan is used up.');
  room -= bytes;
}

const sizeAt = (path) => {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() && stat.nlink === 1 ? stat.size : 0;
};

function keep(handle) {
  if (handles.size >= MOST_HANDLES) {
    close(handle);
    throw new Refused(FAILURE, 'Too many files are open.');
  }
  const id = String(handleCount++);
  handles.set(id, handle);
  return [HANDLE, text(id)];
}

function close({ fd, folder }) {
  if (fd !== undefined) fs.closeSync(fd);
  folder?.closeSync();
}

function handleOf(reader, kind) {
  const handle = handles.get(reader.text());
  if (handle?.[kind] === undefined) throw new Refused(FAILURE, 'There is no such handle.');
  return handle;
}

function change(attributes, path, handle) {
  const { size, mode, times } = attributes;
  // With the permission model only what has a path can be changed.
  const fd = process.permission ? undefined : handle?.fd;
  if (size !== undefined) {
    grow(size - (fd === undefined ? fs.statSync(path).size : fs.fstatSync(fd).size));
    if (fd === undefined) fs.truncateSync(path, size);
    else fs.ftruncateSync(fd, size);
  }
  if (mode !== undefined) fd === undefined ? fs.chmodSync(path, mode) : fs.fchmodSync(fd, mode);
  if (times !== undefined) fd === undefined ? fs.utimesSync(path, ...times) : fs.futimesSync(fd, ...times);
}

/** Replaces what is there, in one step. */
function replace(from, to) {
  const [source, target] = [locate(from), locate(to)];
  const freed = source.equals(target) ? 0 : sizeAt(target);
  fs.renameSync(source, target);
  grow(-freed);
}

const EXTENSIONS = {
  'posix-rename@openssh.com': (reader) => replace(reader.text(), reader.text()),
  'fsync@openssh.com': (reader) => fs.fsyncSync(handleOf(reader, 'fd').fd),
  'limits@openssh.com': () => [EXTENDED_REPLY, ...[LONGEST_PACKET, LONGEST_DATA, LONGEST_DATA, MOST_HANDLES].map(long)],
};

const ANSWERS = {
  [ASKED.OPEN](reader) {
    const [path, flags, { mode = 0o644 }] = [reader.text(), reader.number(), reader.attributes()];
    const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_TRUNC, O_EXCL, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
    const real = follow(path);
    const freed = flags & WRITES && flags & EMPTIES ? sizeAt(real) : 0;
    const fd = fs.openSync(
      real,
      (flags & WRITES ? (flags & READS ? O_RDWR : O_WRONLY) : O_RDONLY) |
        (flags & APPENDS ? O_APPEND : 0) |
        (flags & CREATES ? O_CREAT : 0) |
        (flags & EMPTIES ? O_TRUNC : 0) |
        (flags & IS_NEW ? O_EXCL : 0) |
        // Nobody has to be at the other end of a pipe.
        O_NONBLOCK |
        (root === undefined ? 0 : O_NOFOLLOW),
      mode,
    );
    grow(-freed);
    const stat = fs.fstatSync(fd);
    if (stat.isFile()) return keep({ fd, path: real, appends: (flags & APPENDS) !== 0 });
    fs.closeSync(fd);
    throw new Refused(FAILURE, 'This is no file.');
  },
  [ASKED.CLOSE](reader) {
    const id = reader.text();
    const handle = handles.get(id);
    if (!handle) throw new Refused(FAILURE, 'There is no such handle.');
    handles.delete(id);
    close(handle);
  },
  [ASKED.READ](reader) {
    const [{ fd }, offset, length] = [handleOf(reader, 'fd'), reader.offset(), reader.number()];
    const bytes = Buffer.allocUnsafe(4 + Math.min(length, LONGEST_DATA));
    const count = fs.readSync(fd, bytes, 4, bytes.length - 4, offset);
    if (count === 0 && length > 0) throw new Refused(END, 'This is the end.');
    bytes.writeUInt32BE(count);
    return [DATA, bytes.subarray(0, 4 + count)];
  },
  [ASKED.WRITE](reader) {
    const [handle, offset, data] = [handleOf(reader, 'fd'), reader.offset(), reader.data()];
    const { size } = fs.fstatSync(handle.fd);
    grow(Math.max(0, (handle.appends ? size : offset) + data.length - size));
    for (let done = 0; done < data.length; )
      done += fs.writeSync(handle.fd, data, done, data.length - done, handle.appends ? null : offset + done);
  },
  [ASKED.LSTAT]: (reader) => [ATTRS, attributesOf(fs.lstatSync(locate(reader.text())))],
  [ASKED.STAT]: (reader) => [ATTRS, attributesOf(fs.statSync(follow(reader.text())))],
  [ASKED.FSTAT]: (reader) => [ATTRS, attributesOf(fs.fstatSync(handleOf(reader, 'fd').fd))],
  [ASKED.SETSTAT](reader) {
    const path = follow(reader.text());
    change(reader.attributes(), path);
  },
  [ASKED.FSETSTAT](reader) {
    const handle = handleOf(reader, 'fd');
    change(reader.attributes(), handle.path, handle);
  },
  [ASKED.OPENDIR](reader) {
    const path = follow(reader.text());
    return keep({ folder: fs.opendirSync(path, { encoding: 'buffer' }), path });
  },
  [ASKED.READDIR](reader) {
    const { folder, path } = handleOf(reader, 'folder');
    const names = [];
    while (names.length < NAMES_AT_ONCE) {
      const name = folder.readSync()?.name;
      if (!name) break;
      const stat = fs.lstatSync(Buffer.concat([path, Buffer.from('/'), name]), { throwIfNoEntry: false });
      // Gone by now.
      if (stat) names.push(Buffer.concat([text(name), text(longName(name, stat)), attributesOf(stat)]));
    }
    if (names.length === 0) throw new Refused(END, 'These were all.');
    return [NAME, number(names.length), ...names];
  },
  [ASKED.REMOVE](reader) {
    const path = locate(reader.text());
    const freed = sizeAt(path);
    fs.unlinkSync(path);
    grow(-freed);
  },
  [ASKED.MKDIR](reader) {
    const [path, { mode = 0o755 }] = [locate(reader.text()), reader.attributes()];
    fs.mkdirSync(path, mode);
  },
  [ASKED.RMDIR]: (reader) => fs.rmdirSync(locate(reader.text())),
  [ASKED.REALPATH](reader) {
    const whole = posix.resolve(start, reader.text());
    const real = root === undefined ? resolved(whole) : Buffer.from(whole, 'latin1');
    return [NAME, number(1), text(real), text(real), number(0)];
  },
  [ASKED.RENAME](reader) {
    const [from, to] = [reader.text(), reader.text()];
    if (fs.lstatSync(locate(to), { throwIfNoEntry: false }))
      throw new Refused(FAILURE, 'There is something of that name.');
    replace(from, to);
  },
  [ASKED.READLINK](reader) {
    const target = fs.readlinkSync(locate(reader.text()), 'buffer');
    return [NAME, number(1), text(target), text(target), number(0)];
  },
  // OpenSSH has the two the other way round than the draft, and so has everybody since.
  [ASKED.SYMLINK](reader) {
    const [target, path] = [Buffer.from(reader.text(), 'latin1'), locate(reader.text())];
    if (root !== undefined) throw new Refused(DENIED, 'Links can not be made here.');
    fs.symlinkSync(target, path);
  },
  [ASKED.EXTENDED](reader) {
    const answer = EXTENSIONS[reader.text()];
    if (!answer) throw new Refused(UNKNOWN, 'This is not known here.');
    return answer(reader);
  },
};

/** As far as it exists. */
function resolved(path) {
  try {
    return fs.realpathSync(Buffer.from(path, 'latin1'), 'buffer');
  } catch {
    return Buffer.from(path, 'latin1');
  }
}

function answerTo(kind, reader) {
  if (kind === ASKED.INIT) {
    const names = Object.keys(EXTENSIONS).flatMap((name) => [text(name), text('1')]);
    return [VERSION, number(3), ...names];
  }
  const id = reader.take(4);
  const [answer, ...parts] = attempt(kind, reader);
  return [answer, id, ...parts];
}

function attempt(kind, reader) {
  const status = (code, message) => [STATUS, number(code), text(message), text('en')];
  try {
    const act = ANSWERS[kind];
    if (!act) throw new Refused(UNKNOWN, 'This is not known here.');
    return act(reader) ?? status(OK, 'Done');
  } catch (error) {
    return status(error.status ?? STATUS_OF[error.code] ?? FAILURE, error.message);
  }
}

process.umask(0o022);
serve(answerTo);
