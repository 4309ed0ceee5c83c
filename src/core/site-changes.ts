type Changed = (siteId: string | undefined) => void;

/**
 * Tells whoever serves sites in this process which one's record changed; undefined when any may have. By then what some work
 * holds has been let go of here, and what was released can be started (features/hold).
 */
export class SiteChanges {
  readonly #subscribers: Changed[] = [];

  subscribe(changed: Changed): void {
    this.#subscribers.push(changed);
  }

  tell(siteId: string | undefined): void {
    for (const changed of this.#subscribers) changed(siteId);
  }
}
