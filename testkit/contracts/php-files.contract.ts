import assert from 'node:assert/strict';
import * as files from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setSessionPriority } from '#core/priority.ts';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { LAYOUT } from '#runtimes/wordpress/layout.ts';
import { Random, SEED } from '../random.ts';
import { createSite, putProbe, request } from './contract-site.ts';

/** The long form takes 100,000. */
const STEPS = Number(process.env.STEPS ?? 1_500);
const GENEROUS_MS = 240_000;
const FOLDER = 'tree';
const PHP_FOLDER = `${LAYOUT.content}/${FOLDER}`;
const NAMES = ['a', 'b', 'c.php'];
/** One level down, since a link may lead out of the folder that it is in. */
const ROOT = 'root';
const PATHS = NAMES.flatMap((one) => [one, ...NAMES.flatMap((two) => [`${one}/${two}`, `${one}/${two}/a`])]).map(
  (path) => `${ROOT}/${path}`,
);
/** Before any file that WordPress has, so that opcache takes every file for one that is no longer being written. */
const FIRST_MTIME = 1_000_000_000;

type Operation =
  | { kind: 'write' | 'create'; path: string; text: string; mtime: number }
  | { kind: 'append'; path: string; text: string; mtime: number }
  | { kind: 'truncate'; path: string; size: number; mtime: number }
  | { kind: 'touch'; path: string; mtime: number }
  | { kind: 'chmod'; path: string; mode: number }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'symlink'; path: string; target: string }
  | { kind: 'unlink' | 'mkdir' | 'rmdir'; path: string };

/**
 * Two PHP processes of a site and the host change the same folder, and after each change every process must see what a native file system would
 * show it. The model is such a file system: a second folder on the host in which the same operations are carried out. A driver's own test opens it
 * and calls this.
 */
export function describePhpFiles(
  name: string,
  open: (options: { requestTimeoutMs: number }) => Promise<{ runtime: Runtime; close(): Promise<void> }>,
): void {
  describe(`contract of PHP's files: ${name}`, () => {
    let runtime: Runtime;
    let site: SiteSpec;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open({ requestTimeoutMs: GENEROUS_MS }));
      site = await createSite(runtime, 'files.localhost');
    });
    after(() => close());

    const run = async (name: string, code: string): Promise<unknown> => {
      const { text } = await request(runtime, site, { path: await putProbe(runtime, site, name, code) });
      return JSON.parse(text);
    };

    it('leaves nothing behind where a file or folder could not be created', async () => {
      const seen = await run(
        'refused.php',
        `$core = '${LAYOUT.core}';
        $done = [@file_put_contents("$core/.maintenance", 'x'), @mkdir("$core/new"), @touch("$core/index.php"), @chmod("$core/index.php", 0600),
          @rename("$core/index.php", "$core/new.php"), @unlink("$core/index.php"), @rmdir("$core/wp-includes")];
        echo json_encode([$done, array_map('file_exists', ["$core/.maintenance", "$core/new", "$core/new.php", "$core/index.php"])]);`,
      );
      assert.deepEqual(seen, [Array(7).fill(false), [false, false, false, true]]);
    });

    it('lists all that remains of a folder while other files of it are deleted', async () => {
      const seen = await run(
        'listing.php',
        `$folder = '${LAYOUT.content}/listed'; mkdir($folder);
        for ($n = 100; $n < 200; $n++) touch("$folder/$n");
        $listing = opendir($folder);
        for ($seen = []; count($seen) < 3; ) if (is_numeric($name = readdir($listing))) $seen[] = $name;
        $deleted = array_slice(array_diff(scandir($folder), $seen), -50);
        foreach ($deleted as $name) unlink("$folder/$name");
        while (($name = readdir($listing)) !== false) if (is_numeric($name)) $seen[] = $name;
        echo json_encode([array_values(array_diff(scandir($folder), ['.', '..'], $seen)), count($seen) >= 50]);`,
      );
      assert.deepEqual(seen, [[], true]);
    });

    it('shows every process what the others and the host did', async () => {
      const random = new Random(SEED);
      const agents = await Agents.start(runtime, site);
      const tree = new Tree(join(runtime.contentFolder(site.id), FOLDER));
      const recent: string[] = [];
      let cachedCount = 0;
      for (let step = 1; step <= STEPS; step++) {
        // Native opcache, too, goes on to run what a link once led to, so that no file is included while there are links.
        const hasLinks = step > STEPS / 2;
        const operation = tree.draw(random, FIRST_MTIME + step, hasLinks);
        const actor = tree.pickActor(operation, random);
        const expected = tree.applyToModel(operation);
        const done = actor === 'host' ? tree.applyToSite(operation) : await agents.call(actor, { do: operation });
        recent.push(`${actor} ${JSON.stringify(operation)}: ${expected}`);
        const context = `SEED=${SEED}, step ${step}:\n${recent.slice(-12).join('\n')}`;
        assert.equal(done, expected, context);
        const paths = step % 25 === 0 ? ['', ...PATHS] : tree.pathsNear(operation, random);
        const states = paths.map((path) => tree.stateOf(path, hasLinks));
        await Promise.all(
          AGENTS.map(async (agent) => {
            const seen = (await agents.call(agent, { observe: paths, hasLinks })) as Observation;
            for (const [index, path] of paths.entries())
              assert.deepEqual(seen.states[index], states[index], `${agent} sees ${path} otherwise. ${context}`);
            cachedCount += seen.cachedCount;
          }),
        );
        if (random.below(20) === 0) await agents.restart(random.pick(AGENTS));
      }
      assert.ok(cachedCount > 0, 'opcache had none of the files');
      await agents.close();
      tree.close();
    });
  });
}

const AGENTS = ['first', 'second'] as const;
type State = Record<string, unknown>;
interface Observation {
  states: State[];
  cachedCount: number;
}
type AgentName = (typeof AGENTS)[number];
const FOLLOWING = new Set<Operation['kind']>(['write', 'append', 'truncate', 'touch', 'chmod']);

/** PHP programs that hold a request of one process each and carry out what they are sent over a loopback connection. */
class Agents {
  readonly #runtime: Runtime;
  readonly #site: SiteSpec;
  readonly #path: string;
  readonly #waiting = new Map<string, (lines: Lines) => void>();
  readonly #agents = new Map<AgentName, { lines: Lines; response: Promise<string> }>();

  private constructor(runtime: Runtime, site: SiteSpec, path: string) {
    this.#runtime = runtime;
    this.#site = site;
    this.#path = path;
    runtime.answerOwnCalls((_siteId, connection) => {
      const lines = new Lines(connection);
      lines.next().then((agent) => this.#waiting.get(agent)?.(lines));
    });
  }

  static async start(runtime: Runtime, site: SiteSpec): Promise<Agents> {
    const agents = new Agents(runtime, site, await putProbe(runtime, site, 'agent.php', AGENT));
    for (const agent of AGENTS) await agents.#begin(agent);
    return agents;
  }

  async call(agent: AgentName, command: object): Promise<unknown> {
    const { lines, response } = this.#agents.get(agent) as { lines: Lines; response: Promise<string> };
    lines.write(JSON.stringify(command));
    const reply = await Promise.race([lines.next(), response]);
    return JSON.parse(reply);
  }

  /** A new request, which the same process serves since the other one is busy. */
  async restart(agent: AgentName): Promise<void> {
    await this.#end(agent);
    await this.#begin(agent);
  }

  async close(): Promise<void> {
    for (const agent of this.#agents.keys()) await this.#end(agent);
  }

  async #begin(agent: AgentName): Promise<void> {
    const connected = new Promise<Lines>((resolve) => this.#waiting.set(agent, resolve));
    const response = request(this.#runtime, this.#site, {
      path: `${this.#path}?agent=${agent}`,
      timeoutMs: GENEROUS_MS,
    }).then(({ text }) => text);
    const lines = await Promise.race([connected, response]);
    assert.ok(lines instanceof Lines, String(lines));
    this.#agents.set(agent, { lines, response });
    // A further process of a site yields to everything else on the machine, and every step waits for this one.
    for (const { pid } of this.#runtime.awake()) setSessionPriority(pid, 0);
  }

  async #end(agent: AgentName): Promise<void> {
    const running = this.#agents.get(agent);
    running?.lines.write('{}');
    assert.equal(await running?.response, 'ended');
  }
}

class Lines {
  readonly #connection: Duplex;
  readonly #lines: AsyncIterator<string>;

  constructor(connection: Duplex) {
    this.#connection = connection;
    this.#lines = createInterface({ input: connection })[Symbol.asyncIterator]();
  }

  async next(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the agent closed its connection');
    return value;
  }

  write(line: string): void {
    this.#connection.write(`${line}\n`);
  }
}

/** The folder of the site and its model. */
class Tree {
  readonly #site: string;
  readonly #model = files.mkdtempSync(join(tmpdir(), 'model-'));
  readonly #owner: files.Stats;

  constructor(site: string) {
    this.#site = site;
    this.#owner = files.statSync(dirname(site));
    for (const folder of [site, join(site, ROOT)]) {
      files.mkdirSync(folder);
      files.lchownSync(folder, this.#owner.uid, this.#owner.gid);
    }
    files.mkdirSync(join(this.#model, ROOT));
  }

  close(): void {
    files.rmSync(this.#model, { recursive: true });
  }

  draw(random: Random, mtime: number, hasLinks: boolean): Operation {
    const existing = PATHS.filter((path) => statOf(join(this.#model, path), files.lstatSync));
    const draw = () => random.pick(random.below(2) === 0 && existing.length > 0 ? existing : PATHS);
    const path = draw();
    const text = `<?php return 'v${mtime}'; //${'x'.repeat(random.below(50))}`;
    const kind = random.pick([
      ...(['write', 'write', 'create', 'append', 'truncate', 'touch', 'chmod'] as const),
      ...(hasLinks ? (['symlink'] as const) : []),
      ...(['mkdir', 'mkdir', 'rmdir', 'unlink', 'unlink', 'rename', 'rename', 'rename'] as const),
    ]);
    if (kind === 'write' || kind === 'create') return { kind, path, text, mtime };
    if (kind === 'append') return { kind, path, text: 'x', mtime };
    if (kind === 'truncate') {
      const size = this.#textOf(path)?.length ?? 0;
      const code = text.indexOf('//') + 2;
      return { kind, path, size: size > code ? random.pick([0, code, size - 1]) : 0, mtime };
    }
    if (kind === 'touch') return { kind, path, mtime };
    if (kind === 'chmod') return { kind, path, mode: random.pick([0o700, 0o750, 0o755]) };
    if (kind === 'rename') return { kind, path, to: draw() };
    if (kind === 'symlink') {
      const to = draw();
      const target = to.slice(ROOT.length + 1);
      return { kind, path, target: random.pick([target, `../${target}`, basename(target), `${PHP_FOLDER}/${to}`]) };
    }
    return { kind, path };
  }

  /** PHP makes no links, and an absolute link is one for PHP alone. */
  pickActor({ kind, path }: Operation, random: Random): AgentName | 'host' {
    if (kind === 'symlink') return 'host';
    const file = join(this.#model, path);
    const isDangling = !statOf(file) && statOf(file, files.lstatSync);
    return random.pick(isDangling ? AGENTS : ([...AGENTS, 'host'] as const));
  }

  applyToModel(operation: Operation): boolean {
    if (operation.kind !== 'symlink') return apply(this.#model, operation);
    return apply(this.#model, { ...operation, target: operation.target.replace(PHP_FOLDER, this.#model) });
  }

  /** As the shell, a deployment or a restore would; what is new belongs to the site. */
  applyToSite(operation: Operation): boolean {
    const path = this.#withoutLinks(operation.path, FOLLOWING.has(operation.kind));
    const to = 'to' in operation ? this.#withoutLinks(operation.to, false) : path;
    const done = apply(this.#site, { ...operation, path, to } as Operation);
    for (const each of [path, to]) {
      const file = join(this.#site, each);
      if (statOf(file, files.lstatSync)) files.lchownSync(file, this.#owner.uid, this.#owner.gid);
    }
    return done;
  }

  pathsNear(operation: Operation, random: Random): string[] {
    const changed = 'to' in operation ? [operation.path, operation.to] : [operation.path];
    const parents = changed.map((path) => dirname(path));
    return [...new Set([...changed, ...parents, ...Array.from({ length: 4 }, () => random.pick(PATHS))])];
  }

  /** What PHP has to see: content and kind from the model, and from the site's own folder what only the kernel decides. */
  stateOf(path: string, hasLinks: boolean): State {
    const file = join(this.#model, path);
    const stat = statOf(file);
    const link = statOf(file, files.lstatSync)?.isSymbolicLink();
    const state = {
      exists: stat !== undefined,
      isFile: stat?.isFile() ?? false,
      isFolder: stat?.isDirectory() ?? false,
      link: link ? files.readlinkSync(file).replace(this.#model, PHP_FOLDER) : false,
    };
    if (!stat) return hasLinks ? state : { ...state, included: false };
    const real = files.lstatSync(join(this.#site, files.realpathSync(file).slice(this.#model.length)));
    const common = { ino: real.ino, mode: real.mode };
    if (stat.isDirectory()) return { ...state, ...common, names: files.readdirSync(file).sort() };
    const text = this.#textOf(path) ?? '';
    const mtime = stat.mtimeMs / 1000;
    const included = hasLinks ? {} : { included: includedOf(text) };
    return { ...state, ...common, size: text.length, text, mtime, ...included };
  }

  #withoutLinks(path: string, isFollowed: boolean): string {
    const file = join(this.#model, path);
    const resolved = isFollowed && statOf(file) ? file : dirname(file);
    if (!statOf(resolved)) return path;
    const real = files.realpathSync(resolved).slice(this.#model.length);
    return resolved === file ? real : join(real, basename(file));
  }

  #textOf(path: string): string | undefined {
    const file = join(this.#model, path);
    return statOf(file)?.isFile() ? files.readFileSync(file, 'utf8') : undefined;
  }
}

function statOf(path: string, read = files.statSync): files.Stats | undefined {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}

/** What `include` prints, and the value that it returns. */
function includedOf(text: string): string {
  const [, value] = /^<\?php return '(\w+)'/.exec(text) ?? [];
  return value ?? `${text}1`;
}

function apply(root: string, operation: Operation): boolean {
  const path = join(root, operation.path);
  try {
    if (operation.kind === 'write') files.writeFileSync(path, operation.text);
    // PHP resolves a link to nothing before it opens it exclusively.
    else if (operation.kind === 'create' && !statOf(path)) files.writeFileSync(path, operation.text);
    else if (operation.kind === 'create') return false;
    else if (operation.kind === 'append') files.appendFileSync(path, operation.text);
    else if (operation.kind === 'truncate') files.truncateSync(path, operation.size);
    else if (operation.kind === 'touch' && !statOf(path)) files.appendFileSync(path, '');
    else if (operation.kind === 'chmod') files.chmodSync(path, operation.mode);
    else if (operation.kind === 'rename') files.renameSync(path, join(root, operation.to));
    else if (operation.kind === 'symlink') files.symlinkSync(operation.target, path);
    else if (operation.kind === 'unlink') files.unlinkSync(path);
    else if (operation.kind === 'mkdir') files.mkdirSync(path);
    else if (operation.kind === 'rmdir') files.rmdirSync(path);
    if ('mtime' in operation) files.utimesSync(path, operation.mtime, operation.mtime);
    return true;
  } catch {
    return false;
  }
}

/**
 * Clears PHP's own caches where native PHP needs it too. The stat cache is empty at the beginning of a request, so it is cleared only before what others
 * may have changed within one. The cache of resolved paths outlives a request, so it is cleared before a path is opened.
 */
const AGENT = `
$root = '${PHP_FOLDER}/';
$perform = function (array $do) use ($root) {
  $path = $root . $do['path'];
  $open = function (string $mode, callable $use) use ($path) {
    if (!$file = @fopen($path, $mode)) return false;
    return [$use($file), fclose($file)] === [true, true];
  };
  $done = match ($do['kind']) {
    'write' => @file_put_contents($path, $do['text']) === strlen($do['text']),
    'create' => $open('x', fn($file) => fwrite($file, $do['text']) === strlen($do['text'])),
    'append' => @file_put_contents($path, $do['text'], FILE_APPEND) === strlen($do['text']),
    'truncate' => $open('r+', fn($file) => ftruncate($file, $do['size'])),
    'touch' => true,
    'chmod' => @chmod($path, $do['mode']),
    'rename' => @rename($path, $root . $do['to']),
    'unlink' => @unlink($path),
    'mkdir' => @mkdir($path),
    'rmdir' => @rmdir($path),
  };
  return $done && (!isset($do['mtime']) || @touch($path, $do['mtime']));
};
$stat = function (string $path) {
  $state = ['exists' => file_exists($path), 'isFile' => is_file($path), 'isFolder' => is_dir($path), 'link' => is_link($path) ? readlink($path) : false];
  if ($state['exists']) $state += ['ino' => fileinode($path), 'mode' => fileperms($path)];
  if ($state['isFolder']) $state['names'] = array_values(array_diff(scandir($path), ['.', '..']));
  if ($state['isFile']) $state += ['size' => filesize($path), 'mtime' => filemtime($path)];
  return $state;
};
$include = function (string $path) {
  ob_start();
  $value = @include $path;
  $printed = ob_get_clean();
  return $value === false ? false : $printed . $value;
};
$read = function (string $path, array $state, bool $hasLinks) use ($include) {
  if ($state['isFile']) $state['text'] = file_get_contents($path);
  if (!$state['isFolder'] && !$hasLinks) $state['included'] = $include($path);
  return $state;
};
$connection = fsockopen('files.localhost', 8080);
stream_set_timeout($connection, 3600);
fwrite($connection, $_GET['agent'] . "\\n");
while ($command = json_decode((string) fgets($connection), true)) {
  if (isset($command['do'])) {
    clearstatcache(true);
    $reply = $perform($command['do']);
  } else {
    $paths = array_map(fn($path) => rtrim($root . $path, '/'), $command['observe']);
    $states = array_map($stat, $paths);
    clearstatcache(true);
    $states = array_map(fn($path, $state) => $read($path, $state, $command['hasLinks']), $paths, $states);
    $reply = ['states' => $states, 'cachedCount' => count(array_filter($paths, 'opcache_is_script_cached'))];
  }
  fwrite($connection, json_encode($reply) . "\\n");
  clearstatcache();
}
echo 'ended';
`;
