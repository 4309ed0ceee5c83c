import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git, makeRepository } from './repository.ts';

/** A repository of a site's people, with somebody who pushes to it. */
export class Remote {
  readonly path: string;
  /** The newest commit of main, and those of other branches. */
  head: string;
  readonly tips = new Map<string, string>();

  private constructor(path: string, head: string) {
    this.path = path;
    this.head = head;
  }

  static async create(path: string, files: Record<string, string>): Promise<Remote> {
    return new Remote(path, await makeRepository(path, files));
  }

  get url(): string {
    return `file://${this.path}`;
  }

  get work(): string {
    return `${this.path}.work`;
  }

  /** Files by path; null deletes one. */
  async push(files: Record<string, string | null>, branch = 'main'): Promise<void> {
    if (branch !== 'main') await git(this.work, 'checkout', '--quiet', '-B', branch);
    await this.write(files);
    await this.commit(branch);
    if (branch !== 'main') await git(this.work, 'checkout', '--quiet', 'main');
  }

  /** The same without any commit before it. */
  async rewrite(files: Record<string, string>): Promise<void> {
    await git(this.work, 'checkout', '--quiet', '--orphan', 'other');
    await git(this.work, 'rm', '--quiet', '-r', '-f', '.');
    await this.write(files);
    await git(this.work, 'add', '--all', '--force');
    await git(this.work, 'commit', '--quiet', '--message=rewritten');
    await git(this.work, 'branch', '--quiet', '-M', 'main');
    await this.commit('main', false);
  }

  async link(path: string, target: string): Promise<void> {
    await mkdir(dirname(join(this.work, path)), { recursive: true });
    await symlink(target, join(this.work, path));
    await this.commit('main');
  }

  async submodule(path: string): Promise<void> {
    await git(this.work, 'update-index', '--add', '--cacheinfo', '160000', this.head, path);
    await git(this.work, 'commit', '--quiet', '--message=submodule');
    await this.commit('main', false);
  }

  /** The name as bytes, which need not be text. */
  async file(path: Buffer, content: string): Promise<void> {
    await writeFile(Buffer.concat([Buffer.from(`${this.work}/`), path]), content);
    await this.commit('main');
  }

  /** Back to a commit before. */
  async reset(commit: string): Promise<void> {
    await git(this.work, 'reset', '--quiet', '--hard', commit);
    await git(this.work, 'clean', '--quiet', '-d', '--force');
    await this.commit('main', false);
  }

  private async write(files: Record<string, string | null>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.work, name);
      if (content === null) await rm(path);
      else {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      }
    }
  }

  private async commit(branch: string, isNew = true): Promise<void> {
    if (isNew) {
      await git(this.work, 'add', '--all', '--force');
      await git(this.work, 'commit', '--quiet', '--message=pushed');
    }
    await git(this.work, 'push', '--quiet', '--force', this.path, `HEAD:refs/heads/${branch}`);
    const tip = await git(this.work, 'rev-parse', 'HEAD');
    if (branch === 'main') this.head = tip;
    else this.tips.set(branch, tip);
  }
}
