/**
 * What was promised. Every piece of work gives something a value: it says so before it begins (`begun`) and when whoever asked
 * for it was told that it is done (`done`). After a power cut each thing has its last promised value, or one that was
 * begun since. `null` is for what is not there.
 */
export interface Entry {
  event: 'begun' | 'done';
  thing: string;
  value: string | null;
}

export class Ledger {
  readonly #entries: (Entry & { at: number })[] = [];

  /** In the order in which they were made. */
  add(entry: Entry, at: number): void {
    this.#entries.push({ ...entry, at });
  }

  /** The places in the record where something was promised. */
  get promises(): number[] {
    return this.#entries.filter(({ event }) => event === 'done').map(({ at }) => at);
  }

  /** What each thing may be found as after a cut at this place. */
  allowedAt(cut: number): Map<string, Set<string | null>> {
    const allowed = new Map<string, Set<string | null>>();
    for (const { event, thing, value, at } of this.#entries) {
      if (at > cut) break;
      if (event === 'done') allowed.set(thing, new Set([value]));
      else allowed.set(thing, (allowed.get(thing) ?? new Set([null])).add(value));
    }
    return allowed;
  }
}
