/** What the service and its starter say to each other. */
export interface Wish {
  id: number;
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** For standard input, output, error and the channel: what the stream is claimed by, or what it is otherwise. */
  streams: readonly ({ claim: string } | 'ignore' | 'inherit')[];
  /** So much of its output, and of what it says in its distress, is wanted; the rest is read here. All where it is not said. */
  keptBytes?: number | undefined;
  /** It notices by itself that the service is gone, and may have something to put away. */
  endsItself: boolean;
}

export type Told =
  | { id: number; pid: number }
  | { id: number; failure: { code: string | undefined; message: string } }
  /** It writes without end, long after nobody wanted more. */
  | { id: number; flooded: true }
  | { id: number; exit: { code: number | null; signal: NodeJS.Signals | null } };

/** Each stream begins with this many characters that say whose it is. */
export const CLAIM_LENGTH = 32;
/** Where a program has to know who spawned it (sandbox.ts), the number stands here. */
export const SPAWNED_BY = 'SPAWNED_BY';
