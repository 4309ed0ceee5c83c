import { SiteFailure } from '#runtimes/runtime.ts';

/** A site's host is gone, or was never there: the platform's failure. Whether it has done what it was asked is not known. */
export class HostUnreachable extends SiteFailure {
  constructor(message: string) {
    super('start', message);
    this.name = 'HostUnreachable';
  }
}
