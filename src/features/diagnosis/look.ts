import type { LookName } from './diagnosis.schema.ts';

/** What one look saw, for people and for the findings. */
export interface Seen<T> {
  name: LookName;
  text: string;
  /** Undefined where nothing could be seen. */
  found: T | undefined;
}

/** Thrown by a look that has nothing to look at, with the reason in words. */
export class NothingToSee extends Error {}

/** Looks for so long and no longer. One that fails says so, and takes nothing else down. */
export async function look<T>(
  name: LookName,
  timeoutMs: number,
  see: (signal: AbortSignal) => Promise<{ text: string; found: T }>,
): Promise<Seen<T>> {
  const signal = AbortSignal.timeout(timeoutMs);
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new NothingToSee(`It took longer than ${timeoutMs / 1000} seconds.`)),
    );
  });
  try {
    return { name, ...(await Promise.race([see(signal), over])) };
  } catch (error) {
    const text = error instanceof NothingToSee ? error.message : 'This could not be looked at just now.';
    return { name, text, found: undefined };
  }
}
