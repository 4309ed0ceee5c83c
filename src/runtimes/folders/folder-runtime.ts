import type { Duplex } from 'node:stream';
import type { Log } from '#core/log.ts';
import { type AnswerOwnCalls, refuseOwnCalls } from '#runtimes/own-calls.ts';
import type {
  OutgoingMail,
  RunningSite,
  RuntimeListener,
  SiteDatabase,
  SiteHealth,
  SiteSpec,
  SiteStorage,
} from '#runtimes/runtime.ts';
import { askHealth } from '#runtimes/wordpress/health.ts';
import { Listeners } from './listeners.ts';
import { SiteFolders } from './site-folders.ts';
import { SuspendedSites } from './suspended-sites.ts';

/** What drivers share that keep each site in a folder of its own; they differ in what runs there. */
export abstract class FolderRuntime {
  protected readonly folders: SiteFolders;
  protected readonly listeners: Listeners;
  protected readonly suspended = new SuspendedSites();
  protected answerOwnCall: AnswerOwnCalls = refuseOwnCalls;

  constructor(dataDir: string, log: Log) {
    this.folders = new SiteFolders(dataDir);
    this.listeners = new Listeners((siteId) => this.folders.outbox(siteId), log);
  }

  abstract start(site: SiteSpec): Promise<RunningSite>;
  abstract stop(siteId: string): Promise<void>;
  /** Ends everything that runs of the site, commands included. */
  protected abstract end(siteId: string): Promise<void>;

  adopt(site: SiteSpec, fill: (storage: SiteStorage) => Promise<void>): Promise<void> {
    return this.build(site, (draft) => this.folders.fill(draft, site.url, fill));
  }

  suspend(siteId: string): Promise<() => void> {
    return this.suspended.suspend(siteId, () => this.end(siteId));
  }

  async archive(siteId: string): Promise<void> {
    await this.end(siteId);
    await this.folders.archive(siteId);
  }

  async unarchive(siteId: string): Promise<void> {
    await this.folders.unarchive(siteId);
    this.listeners.touched(siteId);
  }

  async delete(siteId: string): Promise<void> {
    await this.end(siteId);
    await this.folders.delete(siteId);
  }

  list(): Promise<string[]> {
    return this.folders.list();
  }

  contentFolder(siteId: string): string {
    return this.folders.content(siteId);
  }

  storage(siteId: string): SiteStorage {
    return this.folders.storage(siteId);
  }

  async database(siteId: string): Promise<SiteDatabase> {
    return this.folders.database(siteId, () => this.listeners.touched(siteId));
  }

  health(site: SiteSpec): Promise<SiteHealth> {
    return askHealth(this, site);
  }

  diskUsageBytes(siteId: string): Promise<number> {
    return this.folders.diskUsageBytes(siteId);
  }

  outgoingMail(siteId: string): AsyncIterable<OutgoingMail> {
    return this.folders.outgoingMail(siteId);
  }

  hasOutgoingMail(siteId: string): Promise<boolean> {
    return this.folders.hasOutgoingMail(siteId);
  }

  listen(listener: RuntimeListener): void {
    this.listeners.add(listener);
  }

  answerOwnCalls(answer: (siteId: string, connection: Duplex) => void): void {
    this.answerOwnCall = answer;
  }

  protected async build(site: SiteSpec, fill: (draft: string) => Promise<void>): Promise<void> {
    await this.folders.build(site.id, fill, () => this.stop(site.id));
    this.listeners.touched(site.id);
  }
}
