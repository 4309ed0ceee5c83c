import type { Visit } from './visit.ts';

/** A signal for the upstream that fires when the visitor goes before the answer is complete. */
export function abortWhenLeft({ response }: Visit, isUnwanted: () => boolean = () => true): AbortController {
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished && isUnwanted()) leaving.abort();
  });
  return leaving;
}
