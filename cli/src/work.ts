import { type CallOptions, type Event, start, waitFor } from '../../sdk/index.ts';
import type { Cli } from './cli.ts';
import { cancelled } from './exit.ts';
import { bytes, count, oneLine } from './screen.ts';

const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const BAR_WIDTH = 24;
const TICK_MS = 80;

interface Progress {
  step?: string;
  files?: number;
  files_total?: number | null;
  bytes?: number;
  bytes_total?: number | null;
  tables?: number;
  tables_total?: number | null;
  estimated_seconds?: number | null;
}

/** Calls what goes on after its answer and waits for the end, unless it should not be waited for. */
export async function runWork<Args extends [input?: CallOptions], Output>(
  cli: Cli,
  title: string,
  { wait = true }: { wait?: boolean | undefined },
  call: (...args: Args) => Promise<Output>,
  ...args: Args
): Promise<{ answer: Output; event: Event | undefined }> {
  const { answer, eventId } = await start(call, ...args);
  if (eventId === undefined) return { answer, event: undefined };
  if (!wait) {
    cli.screen.note(`It goes on in the background. Follow it with: siteyard event ${eventId} --follow`);
    return { answer, event: undefined };
  }
  return { answer, event: await follow(cli, title, eventId) };
}

/** Shows work until it ends. Ctrl-C leaves the work alone, and says how to come back to it. */
export async function follow(cli: Cli, title: string, eventId: string): Promise<Event> {
  const leave = new AbortController();
  const line = new StatusLine(cli, title);
  const stop = () => leave.abort();
  process.once('SIGINT', stop);
  try {
    return await waitFor(cli.client, eventId, { signal: leave.signal, onProgress: (event) => line.update(event) });
  } catch (error) {
    line.end();
    const how = `Follow it with: siteyard event ${eventId} --follow`;
    if (leave.signal.aborted) throw cancelled('The work goes on without you.', how);
    if ((error as Error).name !== 'WorkFailed') cli.screen.note(`The work may go on. ${how}`);
    throw error;
  } finally {
    process.off('SIGINT', stop);
    line.end();
  }
}

/** One line that changes, on a terminal; elsewhere nothing. */
class StatusLine {
  readonly #title: string;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #text = '';
  #frame = 0;

  constructor(cli: Cli, title: string) {
    this.#title = title;
    if (!process.stderr.isTTY || cli.env.TERM === 'dumb') return;
    process.stderr.write('\x1b[?25l');
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), TICK_MS);
  }

  update({ detail }: Event): void {
    const progress = (detail.progress ?? {}) as Progress;
    this.#text = describe({ ...progress, step: progress.step ?? (detail.step as string | undefined) ?? '' });
  }

  end(): void {
    if (this.#timer === undefined || this.#frame < 0) return;
    clearInterval(this.#timer);
    this.#frame = -1;
    process.stderr.write('\r\x1b[K\x1b[?25h');
  }

  #draw(): void {
    const line = oneLine(`${FRAMES[this.#frame++ % FRAMES.length]} ${this.#title}${this.#text}`);
    process.stderr.write(`\r\x1b[K${[...line].slice(0, (process.stderr.columns ?? 80) - 1).join('')}`);
  }
}

function describe({
  step,
  files = 0,
  files_total,
  bytes: size = 0,
  bytes_total,
  tables = 0,
  tables_total,
  estimated_seconds,
}: Progress): string {
  const parts = step ? [step.replaceAll('_', ' ')] : [];
  const total = bytes_total || files_total || tables_total;
  if (total) {
    const share = Math.min(1, (bytes_total ? size : files_total ? files : tables) / total);
    const full = Math.round(share * BAR_WIDTH);
    parts.push(`${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${Math.floor(share * 100)}%`);
  }
  if (files_total) parts.push(`${files.toLocaleString('en')} of ${count(files_total, 'file')}`);
  if (bytes_total) parts.push(`${bytes(size)} of ${bytes(bytes_total)}`);
  if (estimated_seconds) parts.push(`${count(Math.ceil(estimated_seconds), 'second')} left`);
  return parts.length > 0 ? ` · ${parts.join(' · ')}` : '';
}
