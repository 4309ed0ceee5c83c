import { join } from 'node:path';
import type { Services } from '#core/services.ts';
import { findSiteById, type SiteRow, siteUrl } from '#features/instance/instance.ts';
import { answersOf, pageOf } from './picture-answers.ts';
import { PictureShelf } from './picture-shelf.ts';
import { drawPicture } from './site-picture.drawing.ts';

/** So many sites may wait for their picture, and so many of one team; whoever looks again later asks again. */
const MAX_WAITING = 200;
const MAX_WAITING_OF_TEAM = 20;
/** One that could not be taken may have cost minutes, and would again. */
const NOT_AGAIN_MS = 10 * 60_000;
const MAX_FAILED = 1_000;

/** Takes the pictures of sites that somebody looks at, one at a time and in this process. Teams take turns: a site may make its picture take minutes. */
export class Studio {
  readonly shelf: PictureShelf;
  readonly #services: Services;
  /** The team of each site. */
  readonly #waiting = new Map<string, string>();
  readonly #failedAt = new Map<string, number>();
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(services: Services) {
    this.#services = services;
    this.shelf = new PictureShelf(join(services.config.dataDir, 'pictures'));
  }

  /** Returns at once. */
  want({ id, team_id }: Pick<SiteRow, 'id' | 'team_id'>): void {
    if (this.#isClosed || this.#waiting.size >= MAX_WAITING) return;
    if (performance.now() - (this.#failedAt.get(id) ?? Number.NEGATIVE_INFINITY) < NOT_AGAIN_MS) return;
    const ofTeam = [...this.#waiting.values()].filter((each) => each === team_id);
    if (ofTeam.length >= MAX_WAITING_OF_TEAM) return;
    this.#waiting.set(id, team_id);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** When nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await this.#services.browser?.close();
    await this.idle();
  }

  async #work(): Promise<void> {
    let lastTeam: string | undefined;
    for (;;) {
      const waiting = [...this.#waiting];
      const [siteId, teamId] = waiting.find(([, team]) => team !== lastTeam) ?? waiting[0] ?? [];
      if (siteId === undefined) return;
      lastTeam = teamId;
      await this.#take(siteId).catch((error) => {
        this.#services.log.info({ err: error, siteId }, 'no picture of a site could be taken');
        if (this.#failedAt.size >= MAX_FAILED) this.#failedAt.clear();
        this.#failedAt.set(siteId, performance.now());
      });
      this.#waiting.delete(siteId);
    }
  }

  async #take(siteId: string): Promise<void> {
    const { db, browser, log } = this.#services;
    const site = await findSiteById(db, siteId);
    // Nobody is woken for a picture, and what some work is at is not the site as it will be.
    if (!site || site.is_sleeping || site.busy !== null) return;
    const answer = answersOf(this.#services, site);
    const content = await browser
      ?.takePicture({ url: siteUrl(this.#services, site.fqdn), answer })
      .catch((error) => void log.info({ err: error, siteId }, 'the browser took no picture of a site'));
    if (content) return this.shelf.put(siteId, { content, type: 'image/webp' });
    if (this.#isClosed) return;
    const page = await pageOf(this.#services, siteId, '/');
    const isHtml = page.status < 400 && page.headers['content-type']?.startsWith('text/html');
    const html = isHtml ? page.body.toString() : undefined;
    await this.shelf.put(siteId, {
      content: drawPicture({ fqdn: site.fqdn, title: site.title, html }, true),
      type: 'image/svg+xml',
    });
  }
}
