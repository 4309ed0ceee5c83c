import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * What programs asked of the disk, as the operating system saw it: strace writes down every system call of a program and of all
 * that it starts, SQLite's own included. A call begins and ends at a place in the record, and may have had its effect
 * anywhere in between.
 */
export interface SystemCall {
  name: string;
  /** Places in the record: the numbers of its lines. */
  start: number;
  end: number;
  args: Argument[];
  result: Argument;
}

export interface Argument {
  /** As strace writes it, without what it knows besides. */
  text: string;
  /** What a string holds, or the parts of a vector together. */
  bytes?: Buffer;
  /** What a descriptor has open. */
  path?: string;
  /** It has no name any more. */
  isDeleted?: boolean;
}

const CALLS = [
  ...['openat', 'lseek', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'copy_file_range', 'sendfile'],
  ...['ftruncate', 'truncate', 'fallocate', 'fsync', 'fdatasync', 'renameat', 'renameat2', 'linkat', 'symlinkat'],
  ...['unlinkat', 'mkdirat'],
  // Only some kinds of machines have these.
  ...['open', 'creat', 'rename', 'link', 'symlink', 'unlink', 'mkdir', 'rmdir'],
];
const LONGEST_STRING = 4_000_000;

/** Runs a program under strace until it ends. */
export async function record(file: string, program: readonly string[]): Promise<void> {
  const trace = `trace=${CALLS.map((name) => `?${name}`).join(',')}`;
  // Strings and paths in hexadecimal, so that nothing in them looks like a part of the line.
  const flags = ['-f', '-y', '-xx', '-s', String(LONGEST_STRING), '--seccomp-bpf', '-e', 'signal=none', '-e', trace];
  const child = spawn('strace', [...flags, '-o', file, ...program], { stdio: ['ignore', 'inherit', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program.join(' ')} ended with ${code}: ${complaint}`);
}

const LINE = /^(\d+) +(.*)$/s;
const UNFINISHED = / <unfinished \.\.\.>$/;
const RESUMED = /^<\.\.\. \w+ resumed>/;

/** The calls that succeeded, in the order of their ends. */
export async function* readRecord(file: string): AsyncGenerator<SystemCall> {
  const begun = new Map<string, { text: string; start: number }>();
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(file, 'latin1'), crlfDelay: Infinity })) {
    number++;
    const [, thread = '', text = ''] = LINE.exec(line) ?? [];
    if (UNFINISHED.test(text)) {
      begun.set(thread, { text: text.replace(UNFINISHED, ''), start: number });
      continue;
    }
    const earlier = RESUMED.test(text) ? begun.get(thread) : undefined;
    const whole = earlier ? earlier.text + text.replace(RESUMED, '') : text;
    const call = parseCall(whole);
    if (call) yield { ...call, start: earlier?.start ?? number, end: number };
  }
}

function parseCall(text: string): Pick<SystemCall, 'name' | 'args' | 'result'> | undefined {
  const [, name, body, outcome] = /^(\w+)\((.*)\) += (.*)$/s.exec(text) ?? [];
  if (!name || body === undefined || !outcome || outcome.startsWith('-1 ') || outcome.startsWith('?')) return undefined;
  return { name, args: splitArguments(body).map(parseArgument), result: parseArgument(outcome) };
}

/** At the commas that are in no bracket. In strings there are none, since they are in hexadecimal. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim());
}

function parseArgument(text: string): Argument {
  const [, number, path, deleted] = /^(\w+)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?/.exec(text) ?? [];
  if (number !== undefined) {
    return { text: number, path: decode(path ?? '').toString(), isDeleted: deleted !== undefined };
  }
  if (!text.includes('"')) return { text };
  if (text.includes('"...')) throw new Error('the record left something out');
  return {
    text,
    bytes: Buffer.concat([...text.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => decode(hex ?? ''))),
  };
}

function decode(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}

/** The path that a call names by a folder's descriptor and a string. */
export function pathOf(folder: Argument | undefined, name: Argument | undefined): string {
  const text = name?.bytes?.toString() ?? '';
  return text.startsWith('/') ? text : resolve(folder?.path ?? '/', text);
}
