import type { NotYet } from '#core/jobs/queue.ts';
import { SiteFailure } from '#runtimes/runtime.ts';

/** A site's host is gone: the platform's failure. Whether it has done what it was asked is not known. */
export class HostUnreachable extends SiteFailure {
  constructor(message: string) {
    super('start', message);
    this.name = 'HostUnreachable';
  }
}

/** It was not there to be asked. */
export class HostAway extends HostUnreachable implements NotYet {
  readonly isNotYet = true;
}
