/** What the service and its starter say to each other. */
export interface StartWish {
  type: 'start';
  id: string;
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  /** Which of its first descriptors are connections; it has nothing at the others. */
  streams: readonly number[];
  /** So much of each output gets to the service; the rest is read slowly and dropped. All of it where it is not said. */
  keptBytes?: number;
}

export type ToStarter = { type: 'listen'; socket: string } | StartWish;

export type FromStarter =
  | { id: string; type: 'started'; pid: number }
  | { id: string; type: 'failed'; message: string }
  /** It writes without end. */
  | { id: string; type: 'flooded' }
  | { id: string; type: 'ended'; code: number | null; signal: NodeJS.Signals | null };

/** Of a program, by the number of its descriptor. */
export const INPUT = 0;
export const OUTPUTS = [1, 2];

const ID_BYTES = 12;
export const HEAD_BYTES = ID_BYTES + 2;

/** What a connection begins with: whose it is, and which of its streams. */
export function headOf(id: string, stream: number): string {
  return `${id}${stream}\n`;
}

export function readHead(head: string): { id: string; stream: number } {
  return { id: head.slice(0, ID_BYTES), stream: Number(head[ID_BYTES]) };
}
