import type { ServerResponse } from 'node:http';

/** Nobody waits for the answer any more. */
export class Left extends Error {}

/** Whether anybody still wants an answer. A signal is made only for those who need one: most visitors stay. */
export class Leaving {
  readonly #watchers: (() => void)[] = [];
  #controller: AbortController | undefined;
  hasLeft = false;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.hasLeft) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Called at most once, when nobody wants the answer any more. */
  onLeave(watcher: () => void): void {
    if (this.hasLeft) watcher();
    else this.#watchers.push(watcher);
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.#controller?.abort();
    for (const watcher of this.#watchers) watcher();
  }
}

/** Follows a visitor who may go before the answer is complete. */
export function followVisitor(response: ServerResponse, isUnwanted: () => boolean = () => true): Leaving {
  const leaving = new Leaving();
  response.once('close', () => {
    if (!response.writableFinished && isUnwanted()) leaving.leave();
  });
  return leaving;
}

/**
 * Follows whoever sent a request to WordPress. What a site asks of itself is done even where it does not wait for the
 * answer: that is how plugins start work in the background.
 */
export function followCaller(
  { gate, response }: { gate: { isForItself: boolean }; response: ServerResponse },
  isUnwanted?: () => boolean,
): Leaving {
  return gate.isForItself ? new Leaving() : followVisitor(response, isUnwanted);
}
