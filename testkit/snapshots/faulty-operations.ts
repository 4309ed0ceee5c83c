import { diskOperations, type FileOperations } from '#timemachine/stores/file-operations.ts';

/** How the n-th change of the disk goes wrong. */
export type Fault =
  /** The process is gone before it: nothing changes any more. */
  | 'kill'
  /** The process is gone in the middle of it: of what was written only a part is there. */
  | 'torn'
  /** The process is gone right after it. */
  | 'late'
  /** It fails, and the process goes on. */
  | 'EIO'
  | 'ENOSPC';

export const FAULTS: readonly Fault[] = ['kill', 'torn', 'late', 'EIO', 'ENOSPC'];

class Killed extends Error {
  constructor() {
    super('The process is gone');
    this.name = 'Killed';
  }
}

/** Changes the disk until the fault comes. */
export class FaultyOperations {
  readonly operations: FileOperations;
  /** How many changes were made so far. */
  count = 0;
  isDead = false;
  #at = Number.POSITIVE_INFINITY;
  #fault: Fault = 'kill';

  constructor() {
    this.operations = new Proxy(diskOperations, {
      get: (_, name: keyof FileOperations) => this.#wrap(name),
    });
  }

  /** From now on, the change after `after` others goes wrong. */
  arm(after: number, fault: Fault): void {
    this.count = 0;
    this.#at = after;
    this.#fault = fault;
  }

  /** A new process: everything works again. */
  revive(): void {
    this.isDead = false;
    this.#at = Number.POSITIVE_INFINITY;
  }

  #wrap(name: keyof FileOperations) {
    return async (...args: unknown[]): Promise<void> => {
      if (this.isDead) throw new Killed();
      const apply = diskOperations[name] as (...args: unknown[]) => Promise<void>;
      if (this.count++ !== this.#at) return apply(...args);
      this.#at = Number.POSITIVE_INFINITY;
      if (this.#fault === 'EIO' || this.#fault === 'ENOSPC') {
        if (name === 'writeNew') await tear(args);
        throw Object.assign(new Error(`${this.#fault}: injected`), { code: this.#fault });
      }
      this.isDead = true;
      if (this.#fault === 'torn' && name === 'writeNew') await tear(args);
      if (this.#fault === 'late') await apply(...args);
      throw new Killed();
    };
  }
}

async function tear([path, parts]: unknown[]): Promise<void> {
  const all: Uint8Array[] = [];
  for await (const part of parts as AsyncIterable<Uint8Array>) all.push(part);
  const bytes = Buffer.concat(all);
  await diskOperations.writeNew(path as string, [bytes.subarray(0, bytes.length >> 1)]);
}
