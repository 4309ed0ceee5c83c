#!/opt/node/node
// `wp` and `php` inside a site's sandbox: asks the platform over its socket (frames.ts) and prints what comes back.
const { connect } = require('node:net');
const { basename } = require('node:path');

const HARMLESS = ['COLUMNS', 'LINES', 'TERM', 'NO_COLOR'];
const socket = connect('/run/siteyard/tools.sock');
let rest = Buffer.alloc(0);
let code;

function say(kind, bytes = Buffer.alloc(0)) {
  const head = Buffer.alloc(5);
  head[0] = kind;
  head.writeUInt32BE(bytes.length, 1);
  return socket.write(Buffer.concat([head, bytes]));
}

/** Only when the program reads: a loop around it may live of the same input. */
function giveInput() {
  process.stdin.on('error', () => {});
  process.stdin.on('end', () => say(2));
  process.stdin.on('data', (bytes) => {
    if (say(1, bytes)) return;
    process.stdin.pause();
    socket.once('drain', () => process.stdin.resume());
  });
}

function hear(kind, bytes) {
  if (kind === 3) code = bytes[0];
  else if (kind === 4) giveInput();
  else {
    const to = kind === 1 ? process.stdout : process.stderr;
    if (to.write(bytes)) return;
    socket.pause();
    to.once('drain', () => socket.resume());
  }
}

socket.on('connect', () => {
  const env = Object.fromEntries(HARMLESS.filter((name) => process.env[name]).map((name) => [name, process.env[name]]));
  // Where the folder was removed meanwhile there is none.
  let cwd = '/';
  try {
    cwd = process.cwd();
  } catch {}
  const isTerminal = process.stdout.isTTY === true;
  if (isTerminal) env.COLUMNS ??= String(process.stdout.columns);
  const wish = { program: basename(process.argv[1]), args: process.argv.slice(2), cwd, env, isTerminal };
  say(0, Buffer.from(JSON.stringify(wish)));
});
socket.on('data', (part) => {
  rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
  while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
    const end = 5 + rest.readUInt32BE(1);
    const [kind, bytes] = [rest[0], rest.subarray(5, end)];
    rest = rest.subarray(end);
    hear(kind, bytes);
  }
});
socket.on('error', ({ code: why }) => process.stderr.write(`The site can not be reached: ${why}\n`));
socket.on('close', () => {
  process.exitCode = code ?? 69;
  process.stdin.destroy();
});
// Whoever read it has seen enough, as with any other program.
process.stdout.on('error', () => process.exit(141));
