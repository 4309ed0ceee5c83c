import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { marked } from 'marked';

const ROOT = join(import.meta.dirname, '../..');
const GUIDES = join(ROOT, 'docs/guides');
/** Written between the answers of one program. */
const BETWEEN = '--- next example ---';

/** A block of a guide that runs, and what the guide says that it answers. */
interface Example {
  language: 'sh' | 'ts';
  text: string;
  /** It shows an answer that says no. */
  isRefused: boolean;
  output: string | undefined;
}

/**
 * The examples of the guides, as a reader would run them: shell blocks by bash, with the machine's curl and jq where it has them, TypeScript by Node with the SDK
 * as its package. What one block exports, the next ones have, also in the guides after. `console` blocks are only shown.
 */
export class ExampleRunner {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = env;
  }

  static async open(variables: Record<string, string>): Promise<ExampleRunner> {
    const folder = await mkdtemp(join(tmpdir(), 'siteyard-examples-'));
    // An answer that says no ends a block, wherever in a pipe it was.
    await mkdir(join(folder, 'strict'));
    await writeFile(join(folder, 'strict/.curlrc'), 'fail-with-body\nmax-time = 90\n');
    await writeFile(join(folder, 'variables'), '');
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await installSdk(folder);
    await mkdir(join(folder, 'bin'));
    const programs = { siteyard: 'cli/bin/siteyard.cjs', ...standInsNeeded() };
    for (const [name, file] of Object.entries(programs))
      await writeFile(join(folder, 'bin', name), `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/${file}" "$@"\n`, {
        mode: 0o755,
      });
    const path = `${join(folder, 'bin')}${delimiter}${process.env.PATH}`;
    const env = {
      PATH: path,
      HOME: folder,
      CURL_HOME: join(folder, 'strict'),
      NODE_NO_WARNINGS: '1',
      NO_COLOR: '1',
      ...variables,
    };
    return new ExampleRunner(folder, env);
  }

  /** Runs all of a guide, and says how many there were. */
  async run(slug: string): Promise<number> {
    const examples = examplesOf(await readFile(join(GUIDES, `${slug}.md`), 'utf8'));
    for (const group of programsOf(examples)) {
      const name = `${slug}:\n${group.map(({ text }) => text).join('\n')}\n`;
      const { code, output, complaints } = await this.#runOne(group);
      assert.equal(code, 0, `${name}ended with ${code}: ${complaints}\n${output}`);
      const outputs = output.split(`${BETWEEN}\n`);
      for (const [at, { output: expected }] of group.entries())
        if (expected !== undefined) assertShows(outputs[at] ?? '', expected, name);
        else assert.notEqual(outputs[at]?.trim(), 'null', `${name}reads a field that is not there`);
    }
    return examples.length;
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async #runOne(group: readonly Example[]): Promise<{ code: number | null; output: string; complaints: string }> {
    const { language, text, isRefused } = group[0] as Example;
    const program = group.map((each) => each.text).join(`\nconsole.log('${BETWEEN}');\n`);
    await writeFile(join(this.#folder, 'example.ts'), program);
    const curl = isRefused ? 'export CURL_HOME=/nowhere;' : 'export CURL_HOME="$PWD/strict";';
    const command = language === 'ts' ? `"${process.execPath}" example.ts` : text;
    const script = `set -euo pipefail; . ./variables; ${curl}\n${command}\nexport -p > variables\n`;
    const child = spawn('bash', ['-c', script], {
      cwd: this.#folder,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [texts, code] = [
      { output: '', complaints: '' },
      new Promise<number | null>((resolve) => child.once('close', resolve)),
    ];
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      texts.output += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece) => {
      texts.complaints += piece;
    });
    return { code: await code, ...texts };
  }
}

/** A machine may have no curl, one that does not know --json yet (7.82), or no jq. STAND_INS=1 runs them anyhow. */
function standInsNeeded(): Record<string, string> {
  const says = (name: string) => (process.env.STAND_INS ? '' : String(spawnSync(name, ['--version']).stdout ?? ''));
  const [, major = 0, minor = 0] = (/^curl (\d+)\.(\d+)/.exec(says('curl')) ?? []).map(Number);
  return {
    ...(major * 1000 + minor < 7082 && { curl: 'test/tools/curl.mjs' }),
    ...(!says('jq') && { jq: 'test/tools/jq.mjs' }),
  };
}

/** A shell block is a program by itself; one in TypeScript goes on with what those right before it declared. */
function programsOf(examples: readonly Example[]): Example[][] {
  const groups: Example[][] = [];
  for (const example of examples) {
    const last = groups.at(-1);
    if (example.language === 'ts' && last?.[0]?.language === 'ts') last.push(example);
    else groups.push([example]);
  }
  return groups;
}

/** The package as it is published has the same name and the same exports, made into JavaScript. */
async function installSdk(folder: string): Promise<void> {
  const place = join(folder, 'node_modules/@siteyard/sdk');
  await mkdir(place, { recursive: true });
  const { name } = JSON.parse(await readFile(join(ROOT, 'sdk/package.json'), 'utf8')) as { name: string };
  await writeFile(join(place, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.ts' }));
  await symlink(join(ROOT, 'sdk/index.ts'), join(place, 'index.ts'));
}

function examplesOf(source: string): Example[] {
  const examples: Example[] = [];
  for (const token of marked.lexer(source)) {
    if (token.type !== 'code') continue;
    const [language, ...more] = String(token.lang ?? '').split(' ');
    const last = examples.at(-1);
    if (more.includes('output')) {
      assert.ok(last && last.output === undefined, `an answer without a question: ${token.text}`);
      last.output = token.text;
    } else if (language === 'sh' || language === 'ts') {
      examples.push({ language, text: token.text, isRefused: more.includes('refused'), output: undefined });
    }
  }
  return examples;
}

/** Line by line; `…` stands for whatever is there. */
function assertShows(output: string, expected: string, name: string): void {
  const pattern = expected
    .trim()
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*?');
  if (!new RegExp(`^${pattern}$`).test(output.trim())) assert.equal(output.trim(), expected.trim(), name);
}
