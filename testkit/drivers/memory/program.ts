import { existsSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { schedule } from './cron.ts';
import { sendMail } from './mail.ts';
import type { Step } from './steps.ts';
import type { Turn } from './turn.ts';

/** The program ended as PHP does at a fatal error. */
export class FatalError extends Error {}

const LOOK_MS = 10;

/** Reads a program; one that is none, a real one of PHP for example, is a fatal error. */
export async function readProgram(turn: Turn, file: string): Promise<Step[]> {
  try {
    const steps: unknown = JSON.parse(await turn.readContent(file));
    if (Array.isArray(steps)) return steps as Step[];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw fatal(turn, 'This site runs in memory, and no PHP', file);
}

/** Does one step after another, and hands on what they say as it comes. */
export async function runProgram(turn: Turn, file: string, steps: readonly Step[], say: (text: string) => void) {
  for (const step of steps) {
    turn.signal.throwIfAborted();
    say(await take(turn, file, step));
  }
}

async function take(turn: Turn, file: string, step: Step): Promise<string> {
  if ('say' in step) return step.say;
  if ('sayFile' in step) return turn.readContent(step.sayFile);
  if ('sayRow' in step) return String(Object.values((await turn.query(step.sayRow))[0] ?? {})[0] ?? '');
  if ('mail' in step) return String(await sendMail(turn, step.mail));
  if ('ask' in step) return turn.ask(step.ask.path, step.ask.body).catch(() => '');
  await act(turn, file, step);
  return '';
}

async function act(turn: Turn, file: string, step: Step): Promise<void> {
  if ('append' in step) await appendFile(turn.contentFile(step.append) ?? '', 'x');
  else if ('setOption' in step) await turn.setOption(...step.setOption);
  else if ('hold' in step) await hold(turn, step.hold);
  else if ('loop' in step) await until(turn, () => false);
  else if ('fail' in step) throw fatal(turn, 'Uncaught Error: it fails', file);
  else if ('failUnderPhp' in step && step.failUnderPhp === turn.site.phpVersion)
    throw fatal(turn, 'Uncaught Error: Call to undefined function each()', file);
  else if ('log' in step) turn.log('plain', step.log);
  else if ('warn' in step) turn.log('warning', step.warn, `wp-content/${file}`);
  else if ('schedule' in step) await schedule(turn, step.schedule.atSeconds, step.schedule.steps);
}

async function hold(turn: Turn, mark: string): Promise<void> {
  await turn.writeContent(`${mark}.begun`, '');
  await until(turn, () => existsSync(turn.contentFile(`${mark}.go`) ?? ''));
  await turn.writeContent(`${mark}.ended`, '');
}

async function until(turn: Turn, isOver: () => boolean): Promise<void> {
  while (!isOver()) await sleep(LOOK_MS, undefined, { signal: turn.signal });
}

function fatal(turn: Turn, message: string, file: string): FatalError {
  turn.log('fatal', message, `wp-content/${file}`);
  return new FatalError(message);
}
