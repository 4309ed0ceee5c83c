import type { SiteHost } from '#host/site-host.ts';
import type { Asked } from '../asked.ts';
import type { Gate } from '../gate.ts';
import type { EdgeLimits } from '../limits.ts';
import { type Kept, MemoryBudget } from '../memory-budget.ts';
import { NOTICES, type Notice } from '../notices.ts';
import type { Visit } from '../visit.ts';
import { cachingFor } from './caching.ts';
import { ServedFile } from './served-file.ts';
import { folderPath, isCoreOnly, type Place, placesOf, readPath, type StaticPath } from './static-path.ts';

/** For so long a file is taken to be as it was. */
const CHECK_MS = 1_000;
const MISSING_BYTES = 512;
const MAX_REMEMBERED = 1_000;

type FileHost = Pick<SiteHost, 'fileIdentity' | 'readFile' | 'readFilePart' | 'isFolder'>;

export type FileOutcome = 'answered' | 'pass' | Notice;

/** What is known of a place on disk. */
interface Known extends Kept {
  checkedAtMs: number;
  file: ServedFile | undefined;
  checking: Promise<void> | undefined;
}

/** Static files straight from disk; small ones stay in memory and are looked at again at most once a second. */
export class StaticFiles {
  readonly #host: FileHost;
  readonly #limits: EdgeLimits;
  readonly #siteBudget: MemoryBudget;
  /** Sites share the files of WordPress itself, so that these belong to no site. */
  readonly #coreBudget: MemoryBudget;
  /** By file name, so that sites share what is WordPress' own. */
  readonly #known = new Map<string, Known>();

  /** Where a site's paths led the last time; believed only while the file is, so that it is never older than that. */
  readonly #found = new WeakMap<Gate, Map<string, Known>>();

  constructor(host: FileHost, limits: EdgeLimits) {
    this.#host = host;
    this.#limits = limits;
    this.#siteBudget = new MemoryBudget(limits.fileCacheBytes);
    this.#coreBudget = new MemoryBudget(limits.coreFileCacheBytes);
  }

  /** The whole answer where the file is in memory; `pass` where there is surely none. */
  atOnce(asked: Asked): Buffer | 'pass' | undefined {
    const file = this.#inMemory(asked);
    if (file) return file.whole(asked);
    return readPath(asked.path) === 'dynamic' && !folderPath(asked.path) ? 'pass' : undefined;
  }

  /** Answers at once where the file is in memory. */
  answer(visit: Visit): FileOutcome | Promise<FileOutcome> {
    const file = visit.isRead ? this.#inMemory(visit) : undefined;
    if (file) {
      file.answer(visit);
      return 'answered';
    }
    const named = readPath(visit.path);
    if (named === 'denied') return NOTICES.notFound;
    if (!visit.isRead) return 'pass';
    if (named === 'dynamic') return this.#answerFolder(visit, 'pass');
    return this.#answerFrom(placesOf(named.path, visit.gate.route.site), 0, named, visit);
  }

  #inMemory(asked: Asked): ServedFile | undefined {
    const found = this.#found.get(asked.gate)?.get(asked.path);
    if (!found?.file?.isInMemory || !isBelieved(found, asked)) return undefined;
    found.used = true;
    return found.file;
  }

  #answerFrom(
    places: readonly Place[],
    index: number,
    named: StaticPath,
    visit: Visit,
  ): FileOutcome | Promise<FileOutcome> {
    const place = places[index];
    if (!place) return this.#answerFolder(visit, isCoreOnly(named.path) ? NOTICES.notFound : 'pass');
    const next = () => this.#answerFrom(places, index + 1, named, visit);
    const known = this.#at(place);
    if (!isBelieved(known, visit)) return this.#answerChecked(known, place, named, visit, next);
    const answered = known.file?.answer(visit) ?? false;
    if (!(answered instanceof Promise)) return answered ? 'answered' : next();
    return answered.then((isSent) => {
      if (isSent) return 'answered';
      // It is not what it was a moment ago, which is no reason to say that it is not there.
      return this.#answerChecked(known, place, named, visit, next);
    });
  }

  /** As web servers do: in the page of a folder without its slash, every relative link would lead elsewhere. */
  #answerFolder(visit: Visit, otherwise: FileOutcome): FileOutcome | Promise<FileOutcome> {
    const folder = folderPath(visit.path);
    if (!folder) return otherwise;
    return this.#isOneFolder(placesOf(folder.path, visit.gate.route.site)).then((isFound) => {
      if (!isFound) return otherwise;
      redirect(visit, `${folder.location}${visit.query}`);
      return 'answered';
    });
  }

  async #answerChecked(
    known: Known,
    place: Place,
    named: StaticPath,
    visit: Visit,
    next: () => FileOutcome | Promise<FileOutcome>,
  ): Promise<FileOutcome> {
    const check = () => {
      known.checking ??= this.#check(known, place, named.contentType).finally(() => {
        known.checking = undefined;
      });
      return known.checking;
    };
    await check();
    // Somebody else had begun it before this visitor's time.
    if (known.checkedAtMs <= visit.gate.madeAtMs) await check();
    if (!(await known.file?.answer(visit))) return next();
    this.#remember(visit, known);
    return 'answered';
  }

  #remember({ gate, path }: Visit, known: Known): void {
    const found = this.#found.get(gate) ?? new Map<string, Known>();
    if (found.size === 0) this.#found.set(gate, found);
    if (found.size >= MAX_REMEMBERED) found.clear();
    // Large files are read from disk each time, which costs more than finding them.
    if (known.file?.isInMemory) found.set(path, known);
  }

  /** Whether one of the places is a folder. */
  async #isOneFolder(places: readonly Place[]): Promise<boolean> {
    for (const { root, path } of places) if (await this.#host.isFolder(root, path)) return true;
    return false;
  }

  #at(place: Place): Known {
    const { name } = place;
    const found = this.#known.get(name);
    if (found) {
      found.used = true;
      return found;
    }
    const known: Known = {
      sizeBytes: MISSING_BYTES + name.length,
      used: false,
      checkedAtMs: 0,
      file: undefined,
      checking: undefined,
      forget: () => this.#known.delete(name),
    };
    this.#known.set(name, known);
    this.#budgetOf(place).add(known, place.owner);
    return known;
  }

  #budgetOf({ root }: Place): MemoryBudget {
    return 'siteId' in root.root ? this.#siteBudget : this.#coreBudget;
  }

  async #check(known: Known, place: Place, contentType: string): Promise<void> {
    const checkedAtMs = performance.now();
    const before = known.file?.stat.identity;
    if (before === undefined || before !== (await this.#host.fileIdentity(place.root, place.path))) {
      if (known.file) this.#budgetOf(place).remove(known.file);
      known.file = await this.#load(known, place, contentType);
    }
    known.checkedAtMs = checkedAtMs;
  }

  async #load(known: Known, place: Place, contentType: string): Promise<ServedFile | undefined> {
    const found = await this.#host.readFile(place.root, place.path, this.#limits.fileBytes);
    if (!found) return undefined;
    const budget = this.#budgetOf(place);
    const file = new ServedFile(this.#host, place, contentType, found.stat, found.content, budget, () => {
      if (known.file === file) known.file = undefined;
      known.checkedAtMs = 0;
    });
    budget.add(file, place.owner);
    return file;
  }
}

function redirect({ response, gate }: Visit, location: string): void {
  const { headers } = cachingFor(gate.keepers, false);
  response.writeHead(301, ['Location', location, 'Content-Length', '0', ...headers]).end();
}

function isBelieved({ checkedAtMs }: Known, { gate }: Asked): boolean {
  return performance.now() - checkedAtMs < CHECK_MS && checkedAtMs > gate.madeAtMs;
}
