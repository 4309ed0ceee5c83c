import { setTimeout as sleep } from 'node:timers/promises';
import { InTurn } from '#core/in-turn.ts';
import { Shares } from '#core/shares.ts';
import type { Runtime, RuntimeListener, SiteDatabase, SiteShare } from '#runtimes/runtime.ts';
import { failedBy } from '#timemachine/failure.ts';
import type { SitePlace } from '#timemachine/process/protocol.ts';
import type { TimeMachine } from '#timemachine/process/time-machine.ts';
import { makeFolder, moveEntry, writeFile } from './content/change-entry.ts';
import { namesOf } from './content/open-folder.ts';
import { packFolder } from './content/pack-folder.ts';
import { readEntry } from './content/read-entry.ts';
import { removeEntry } from './content/remove-entry.ts';
import { searchFiles } from './content/search-files.ts';
import { localFiles } from './local-files.ts';
import { isFilePlace, SharedCuts } from './shared-cuts.ts';
import type { FileRoot, HostedSpec, KeptAs, Place, SiteHost, SiteOrigin, SiteRef } from './site-host.ts';
import type { LogFiles } from './site-log/log-files.ts';
import { Programs } from './terminals/programs.ts';
import { TerminalSessions } from './terminals/terminal-sessions.ts';

/** Of all sites of a team on one host: terminals in the browser, and whatever runs for somebody who came by ssh. */
const SEATS_A_TEAM = 30;
const ARRIVAL_MS = 60_000;
const LOOK_MS = 1_000;

export interface LocalHostOptions {
  /** What the rows of its sites call it. */
  name: string;
  /** By the names that the rows of sites have. */
  drivers: Readonly<Record<string, Runtime>>;
  timeMachine: TimeMachine;
  /** The time machine of another host, where what that keeps can be reached from here. It is closed by who gets it. */
  otherMachine?: (host: string, grant?: string) => TimeMachine | undefined;
  logs: LogFiles;
  /** A folder for cuts that many sites are made from. */
  sharedCuts: string;
  /** So much of the disk no restore may take. */
  reserveBytes: number;
}

type Of<Name extends keyof SiteHost> = SiteHost[Name];

/** The host in this process: its drivers run the sites, its time machine keeps them, and all of it is on this machine's disk. */
export class LocalHost implements SiteHost {
  readonly name: string;
  /** Where other processes of the platform reach it; undefined while they can not. */
  address: string | undefined;
  /** For what only this process does with what runs in it: the fences of holds, figures, tests. */
  readonly drivers: Readonly<Record<string, Runtime>>;
  readonly timeMachine: TimeMachine;
  /** Since when no other process asks anything of it; undefined while one does. */
  quietSince: () => Date | undefined = () => undefined;
  readonly #otherMachine: NonNullable<LocalHostOptions['otherMachine']>;
  /** So much of the disk no restore takes. */
  reserveBytes: number;
  readonly #logs: LogFiles;
  readonly #sharedCuts: SharedCuts;
  /** The versions of WordPress that are surely here, by driver. */
  readonly #cores = new Set<string>();
  /** The last work on each site that has one. */
  readonly #works = new InTurn();
  /** Each reads much of a disk that all share. */
  readonly #searches = new InTurn();
  readonly #files = localFiles((at) => this.#folderOf(at));
  readonly #seats = new Shares(SEATS_A_TEAM);
  readonly #terminals = new TerminalSessions((site, options) => this.driver(site).terminal(site, options), this.#seats);
  readonly #programs = new Programs((site) => this.driver(site), this.#seats);
  readonly #listeners: HostListener[] = [];

  constructor({ name, drivers, timeMachine, otherMachine, logs, sharedCuts, reserveBytes }: LocalHostOptions) {
    this.name = name;
    this.drivers = drivers;
    this.timeMachine = timeMachine;
    this.#otherMachine = otherMachine ?? (() => undefined);
    this.#logs = logs;
    this.reserveBytes = reserveBytes;
    this.#sharedCuts = new SharedCuts(sharedCuts, ({ moment, ...from }, into) =>
      timeMachine.copy({ ...from, now: null }, moment, into),
    );
  }

  async open(): Promise<void> {
    for (const driver of this.#all) await driver.open();
    this.#logs.start();
    // What the process before left in the queue.
    this.timeMachine.uploads?.soon();
  }

  async close(): Promise<void> {
    this.#logs.close();
    await Promise.all(this.#all.map((driver) => driver.close()));
    await this.timeMachine.close();
  }

  /** Since when nobody asks anything of it and nothing waits to be sent to the store of backups. */
  get idleSince(): Date | undefined {
    return this.timeMachine.uploads?.isBusy ? undefined : this.quietSince();
  }

  driver({ driver: name }: Pick<Place, 'driver'>): Runtime {
    const driver = this.drivers[name];
    if (!driver) throw new Error(`the host ${this.name} has no driver ${name}`);
    return driver;
  }

  /** What sites tell by themselves while they run here. */
  listen(listener: HostListener): void {
    this.#listeners.push(listener);
    for (const [driver, runtime] of Object.entries(this.drivers)) {
      const site = (id: string): SiteRef => ({ id, host: this.name, driver });
      runtime.listen({
        changed: (id) => listener.changed?.(site(id)),
        touched: (id) => listener.touched?.(site(id)),
        grew: (id, bytes) => listener.grew?.(site(id), bytes),
        mail: (id) => listener.mail?.(site(id)),
        logged: (id, errors) => listener.logged?.(site(id), errors),
        status: (id, status) => listener.status?.(site(id), status),
      });
    }
  }

  /** So much a site that is awake here may still grow, and this it may have of the machine. */
  setRoom(siteId: string, leftBytes: number, share: SiteShare): void {
    for (const driver of this.#all) {
      driver.setRoom(siteId, leftBytes);
      driver.setShare(siteId, share);
    }
  }

  awakeSites(): string[] {
    return [...new Set(this.#all.flatMap((driver) => driver.awake().map(({ siteId }) => siteId)))];
  }

  answerOwnCalls(answer: Parameters<Runtime['answerOwnCalls']>[0]): void {
    for (const driver of this.#all) driver.answerOwnCalls(answer);
  }

  /** Ends all the site's processes here and starts none until the returned function is called (Runtime.suspend). */
  async suspend(siteId: string): Promise<() => void> {
    this.#stopTerminals(siteId);
    const resumes = await Promise.all(this.#all.map((driver) => driver.suspend(siteId)));
    return () => {
      for (const resume of resumes) resume();
    };
  }

  /** Ends the processes that serve a site here, whatever its row says by now. */
  async stopHere(siteId: string): Promise<void> {
    await Promise.all(this.#all.map((driver) => driver.stop(siteId)));
  }

  prepared: Of<'prepared'> = async (at) => this.driver(at).prepared();
  shell: Of<'shell'> = async (at) => this.driver(at).shell;
  coreVersions: Of<'coreVersions'> = async (at) => this.driver(at).coreVersions();
  phpVersions: Of<'phpVersions'> = async (at) => this.driver(at).phpVersions();
  list: Of<'list'> = async (at) => this.driver(at).list();
  inspect: Of<'inspect'> = async (at, archive, theme) => this.driver(at).inspect(archive, theme);
  delete: Of<'delete'> = (site) => {
    this.#stopTerminals(site.id);
    return this.#alone(site, async () => {
      await this.timeMachine.release(site.id);
      await this.driver(site).delete(site.id);
    });
  };
  diskUsageBytes: Of<'diskUsageBytes'> = async (site) => this.driver(site).diskUsageBytes(site.id);

  async make(...[site, from]: Parameters<Of<'make'>>): Promise<void> {
    const driver = this.driver(site);
    const made: { [Kind in SiteOrigin['kind']]: (from: Extract<SiteOrigin, { kind: Kind }>) => Promise<void> } = {
      image: ({ first }) => driver.create(site, first),
      cut: ({ space, site: of, moment, change, isShared, keptBy = this.name, grant }) =>
        driver.adopt(
          site,
          (storage) => {
            if (keptBy !== this.name)
              return this.#copyFrom({ host: keptBy, grant }, { space, site: of, now: null }, moment, storage);
            return isShared && isFilePlace(storage)
              ? this.#sharedCuts.fill({ space, site: of, moment }, storage)
              : this.timeMachine.copy({ space, site: of, now: change ? null : driver.storage(of) }, moment, storage);
          },
          change,
        ),
      import: ({ change, ...archive }) => driver.import(site, archive, change),
      archive: () => driver.unarchive(site.id),
    };
    await this.#haveCore(site);
    await this.#alone(site, () => made[from.kind](from as never));
  }

  archive(site: SiteRef): Promise<void> {
    this.#stopTerminals(site.id);
    return this.#alone(site, async () => {
      await this.timeMachine.release(site.id);
      await this.driver(site).archive(site.id);
    });
  }

  moveDatabase(site: SiteRef, url: string): Promise<void> {
    return this.#inDatabase(site, (database) => database.moveTo(url));
  }

  activeTheme(site: SiteRef): Promise<string | null> {
    return this.#inDatabase(site, async (database) => {
      const [row] = await database.query(
        "select substr(option_value, 1, 300) as option_value from wp_options where option_name = 'stylesheet' limit 1",
      );
      return typeof row?.option_value === 'string' ? row.option_value : null;
    });
  }

  numbers(site: SiteRef): Promise<Record<string, number>> {
    return this.#inDatabase(site, (database) => database.numbers());
  }

  spreadNumbers(site: SiteRef, above: Record<string, number>): Promise<void> {
    return this.#inDatabase(site, (database) => database.spreadNumbers(above));
  }

  async endOrphans(): Promise<void> {
    for (const driver of this.#all) await driver.endOrphans();
  }

  start: Of<'start'> = async (site) => {
    await this.#haveCore(site);
    return this.driver(site).start(site);
  };
  warmUp: Of<'warmUp'> = async (site) => this.driver(site).warmUp(site);
  stop: Of<'stop'> = async (site) => {
    await this.driver(site).stop(site.id);
    for (const listener of this.#listeners) await listener.stopped?.(site);
  };

  fileIdentity: Of<'fileIdentity'> = async (...args) => this.#files.fileIdentity(...args);
  readFile: Of<'readFile'> = async (...args) => this.#files.readFile(...args);
  readFilePart: Of<'readFilePart'> = async (...args) => this.#files.readFilePart(...args);
  isFolder: Of<'isFolder'> = async (...args) => this.#files.isFolder(...args);

  readEntry: Of<'readEntry'> = async (site, path, limits) => readEntry(this.#contentOf(site), path, limits);
  searchFiles: Of<'searchFiles'> = (site, search) =>
    this.#searches.next(site.id, () => searchFiles(this.#contentOf(site), search));
  packFolder: Of<'packFolder'> = async (site, path) => packFolder(this.#contentOf(site), path);
  writeFile: Of<'writeFile'> = async (site, path, content, seen) =>
    this.driver(site).change(site.id, (place) => writeFile(place, path, content, seen));
  makeFolder: Of<'makeFolder'> = async (site, path) =>
    this.driver(site).change(site.id, (place) => makeFolder(place, path));
  moveEntry: Of<'moveEntry'> = async (site, from, to) =>
    this.driver(site).change(site.id, (place) => moveEntry(place, from, to));
  removeEntry: Of<'removeEntry'> = async (site, path) =>
    this.driver(site).change(site.id, (place) => removeEntry(place, path));

  exec: Of<'exec'> = async (site, command) => {
    await this.#haveCore(site);
    return this.driver(site).exec(site, command);
  };
  prepareEditor: Of<'prepareEditor'> = async (site) => this.driver(site).editors.prepare();
  editorState: Of<'editorState'> = async (site) => this.driver(site).editors.state(site.id);
  wakeEditor: Of<'wakeEditor'> = async (site, maxDiskBytes) => this.driver(site).editors.wake(site, maxDiskBytes);
  connectEditor: Of<'connectEditor'> = async (site) => this.driver(site).editors.connect(site.id);
  stopEditor: Of<'stopEditor'> = async (site) => this.driver(site).editors.end(site.id);
  terminal: Of<'terminal'> = async (site, wish) => this.#terminals.attend(site, wish);
  terminals: Of<'terminals'> = async (site, of) => this.#terminals.list(site.id, of);
  endTerminal: Of<'endTerminal'> = async (site, owner, session) => this.#terminals.end(site.id, owner, session);
  program: Of<'program'> = async (site, wish) => this.#programs.run(site, wish);
  hasOutgoingMail: Of<'hasOutgoingMail'> = async (site) => this.driver(site).hasOutgoingMail(site.id);

  async eachMail(...[site, handle]: Parameters<Of<'eachMail'>>): Promise<void> {
    for await (const { drop, ...mail } of this.driver(site).outgoingMail(site.id)) {
      const verdict = await handle(mail);
      if (verdict === 'drop') await drop();
      if (verdict === 'stop') return;
    }
  }

  snapshot: Of<'snapshot'> = (site, kept, options) =>
    this.#alone(site, () => this.timeMachine.snapshot(this.#placeOf(site, kept), options));
  plan: Of<'plan'> = (site, kept, wish, window, options) =>
    this.#alone(site, () => this.timeMachine.plan(this.#placeOf(site, kept), wish, window, options));
  compare: Of<'compare'> = async (site, kept, now, wish, window) =>
    this.timeMachine.compare({ ...kept, site: site.id }, now, wish, window);
  tell: Of<'tell'> = async (site, kept, pairs, rules, isPatient) =>
    this.timeMachine.tell({ space: kept.space, rules: kept.rules, site: site.id }, pairs, rules, isPatient);
  restore: Of<'restore'> = (site, kept, wish, options) =>
    this.#alone(site, async () => {
      await this.driver(site).makeFolders(site.id);
      return this.timeMachine.restore(this.#placeOf(site, kept), wish, options);
    });
  moveRows: Of<'moveRows'> = (site, kept, to, options) =>
    this.#alone(site, () =>
      this.driver(site).moveRows(site.id, to, async (into) => {
        await this.timeMachine.move(this.#placeOf(site, kept), into, options);
      }),
    );
  compareCopy: Of<'compareCopy'> = async (site, kept, now, wish, window) => {
    const { database, staging } = this.driver(site).storage(site.id);
    // Beside what a restore may be at.
    const place = { ...kept, site: site.id, database, staging: `${staging}-compared` };
    return this.timeMachine.compareCopy(place, now, wish, window);
  };
  async rehearse(...[site, kept, wish, now, name, options]: Parameters<Of<'rehearse'>>): Promise<void> {
    // The copy is made beside the site, where there is one.
    if (!now) await this.driver(site).makeFolders(site.id);
    await this.timeMachine.rehearse(this.#placeOf(site, kept), wish, now, name, options);
  }
  discardRehearsal: Of<'discardRehearsal'> = async (site, name) =>
    this.timeMachine.discardRehearsal(this.driver(site).storage(site.id), name);
  recover: Of<'recover'> = (site, kept) => this.#alone(site, () => this.timeMachine.recover(this.#placeOf(site, kept)));
  shareCut: Of<'shareCut'> = async (site, space, moment) =>
    void (await this.#sharedCuts.unpack({ space, site: site.id, moment }));
  async sendKept(): Promise<void> {
    const { uploads } = this.timeMachine;
    uploads?.soon();
    for (const deadline = performance.now() + ARRIVAL_MS; uploads?.isBusy; await sleep(LOOK_MS))
      if (performance.now() > deadline)
        throw new Error(`backups wait on this disk: ${uploads.state.trouble ?? 'many'}`);
  }
  async forget(site: SiteRef, space: string): Promise<void> {
    const other = site.host === this.name ? undefined : this.#otherMachine(site.host);
    if (other) return forgetAll(other, space, site.id);
    await this.#sharedCuts.drop(site.id);
    await this.timeMachine.forget(space, site.id);
  }
  prune: Of<'prune'> = async (_at, wish) => this.timeMachine.prune(wish);
  check: Of<'check'> = async (_at, from, budget) => this.timeMachine.check(from, budget);
  checkSite: Of<'checkSite'> = async (site, space) => this.timeMachine.checkSite(space, site.id);
  deploy: Of<'deploy'> = (site, kept, laying, options) =>
    this.#alone(site, () => this.timeMachine.deploy(this.#placeOf(site, kept), laying, options));

  keptSnapshots: Of<'keptSnapshots'> = async (site, space) => this.timeMachine.kept.snapshots(space, site.id);
  keptFiles: Of<'keptFiles'> = async (site, space, moment, part) =>
    this.timeMachine.kept.files(space, site.id, moment, part);
  findKeptFiles: Of<'findKeptFiles'> = async (site, space, moment, paths) =>
    this.timeMachine.kept.find(space, site.id, moment, paths);
  keptFileIn: Of<'keptFileIn'> = async (site, space, moments, path) =>
    this.timeMachine.kept.findIn(space, site.id, moments, namesOf(path).join('/'));
  keptFileSize: Of<'keptFileSize'> = async (site, space, ref) => this.timeMachine.kept.sizeOf(space, site.id, ref);
  readKeptFile: Of<'readKeptFile'> = async (site, space, ref, start, end) =>
    this.timeMachine.kept.read(space, site.id, ref, start, end);

  keptDump: Of<'keptDump'> = async (site, { space, rules }, moment) =>
    this.timeMachine.kept.dump({ space, rules, site: site.id }, moment);

  appendLog: Of<'appendLog'> = (site, kind, lines) => this.#logs.append(site.id, kind, lines);
  readLog: Of<'readLog'> = (site, kind, query) => this.#logs.read(site.id, kind, query);
  groupErrors: Of<'groupErrors'> = (site, sinceMs) => this.#logs.groupErrors(site.id, sinceMs);
  endOfLog: Of<'endOfLog'> = (site, kind) => this.#logs.endOf(site.id, kind);
  readLogOn: Of<'readLogOn'> = (site, kind, after) => this.#logs.readOn(site.id, kind, after);
  removeLog: Of<'removeLog'> = (site) => this.#logs.remove(site.id);

  /** A site may come from a machine that had another WordPress than this one. Where nobody has that, its driver says so. */
  async #haveCore({ driver, coreVersion }: Pick<HostedSpec, 'driver' | 'coreVersion'>): Promise<void> {
    const name = `${driver} ${coreVersion}`;
    if (coreVersion === '' || this.#cores.has(name)) return;
    await this.driver({ driver })
      .requireCore(coreVersion)
      .then(
        () => this.#cores.add(name),
        () => {},
      );
  }

  /** What another host has kept is in its store a moment later. */
  async #copyFrom(
    { host, grant }: { host: string; grant: string | undefined },
    ...copied: Parameters<TimeMachine['copy']>
  ): Promise<void> {
    const other = this.#otherMachine(host, grant);
    if (!other) throw new Error(`what the host ${host} keeps can not be reached from ${this.name}`);
    try {
      for (const deadline = performance.now() + ARRIVAL_MS; ; await sleep(LOOK_MS)) {
        try {
          return await other.copy(...copied);
        } catch (error) {
          if (!failedBy(error, 'missing_object') || performance.now() > deadline) throw error;
        }
      }
    } finally {
      await other.close();
    }
  }

  #stopTerminals(siteId: string): void {
    this.#terminals.stop(siteId);
    this.#programs.stop(siteId);
  }

  /**
   * One after another, whoever asks. A worker that was killed leaves a call that is being called off or nearly done, and its next
   * attempt, from wherever it comes, must not meet that.
   */
  #alone<T>({ id }: SiteRef, act: () => Promise<T>): Promise<T> {
    return this.#works.next(id, act);
  }

  #inDatabase<T>(site: SiteRef, act: (database: SiteDatabase) => Promise<T>): Promise<T> {
    return this.#alone(site, async () => {
      const database = await this.driver(site).database(site.id);
      return act(database).finally(() => database.close());
    });
  }

  get #all(): Runtime[] {
    return Object.values(this.drivers);
  }

  #folderOf({ root, driver }: FileRoot): string {
    const runtime = this.driver({ driver });
    return 'siteId' in root ? runtime.contentFolder(root.siteId) : runtime.coreFolder(root.coreVersion);
  }

  #contentOf(site: SiteRef): string {
    return this.driver(site).contentFolder(site.id);
  }

  #placeOf(site: SiteRef, kept: KeptAs): SitePlace {
    return { ...this.driver(site).storage(site.id), ...kept, site: site.id, reserveBytes: this.reserveBytes };
  }
}

/** Of a host that is gone with the site: nobody else prunes there. */
async function forgetAll(machine: TimeMachine, space: string, siteId: string): Promise<void> {
  try {
    await machine.forget(space, siteId);
    await machine.prune({ windowsMs: {}, pinned: [], damaged: [], nowMs: Date.now() });
  } finally {
    await machine.close();
  }
}

/** As RuntimeListener, with the whereabouts of the site; and told that a site was stopped, which is over when all that ran of it is noted. */
export type HostListener = { stopped?: (site: SiteRef) => Promise<void> } & {
  [Name in keyof RuntimeListener]?: RuntimeListener[Name] extends
    | ((siteId: string, ...rest: infer Rest) => void)
    | undefined
    ? (site: SiteRef, ...rest: Rest) => void
    : never;
};
