import assert from 'node:assert/strict';
import { ApiError } from '#sdk';

/** For assert.rejects: the service refused with this status and, where given, this code. */
export function refused(status: number, code?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, status, error.message);
    if (code) assert.equal(error.code, code);
    return true;
  };
}

/** Waits until the condition holds, for what happens in the background. Generous: it costs nothing when a test passes. */
export async function eventually<T>(condition: () => Promise<T | undefined | false>, timeoutMs = 120_000): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
