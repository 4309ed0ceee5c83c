import { type Debugger, Session, url } from 'node:inspector';
import { fileURLToPath } from 'node:url';

/** The name under which the main thread offers a function that describes its current request. */
export const REQUEST_KEY = 'siteyard.describeCurrentRequest';
/** A native call, such as a synchronous read of a slow disk, cannot be interrupted; there is no stack then. */
const ANSWER_MS = 1_000;
const FRAMES = 20;

interface MainStack {
  stack: string[] | null;
  request: string | null;
}

/**
 * Interrupts the main thread for some milliseconds, from a worker thread, and returns where it is and for which request. `isBlocked` tells
 * whether it still is: the stack of anything that runs after the block would mislead.
 */
export async function readMainStack(isBlocked: () => boolean): Promise<MainStack> {
  const nothing = { stack: null, request: null };
  // Resuming would take the breakpoint of a developer who is attached.
  if (url() !== undefined) return nothing;
  const session = new Session();
  session.connectToMainThread();
  try {
    return await new Promise<MainStack>((resolve) => {
      const late = setTimeout(() => resolve(nothing), ANSWER_MS);
      session.on('Debugger.paused', ({ params: { callFrames } }) => {
        clearTimeout(late);
        const stack = isBlocked() ? callFrames.slice(0, FRAMES).map(describeFrame) : null;
        const [top] = callFrames;
        if (!stack || !top) return resolve(nothing);
        const expression = `globalThis[Symbol.for('${REQUEST_KEY}')]?.() ?? null`;
        session.post('Debugger.evaluateOnCallFrame', { callFrameId: top.callFrameId, expression }, (error, answer) => {
          const value: unknown = error ? null : answer.result.value;
          resolve({ stack, request: typeof value === 'string' ? value : null });
        });
      });
      session.post('Debugger.enable');
      session.post('Debugger.pause');
    });
  } finally {
    // Resumes the main thread too, whatever happened.
    session.disconnect();
  }
}

function describeFrame({ functionName, url, location }: Debugger.CallFrame): string {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  return `${functionName || '(anonymous)'} (${file}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1})`;
}
