import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is kept between two commands: which platforms one is signed in to, and the team that is meant where none is named. */
interface Kept {
  /** The platform of the last sign-in. */
  host?: string;
  /** By the platform's address. */
  teams?: Record<string, string>;
}
type Tokens = Record<string, string>;

export class Settings {
  readonly #env: NodeJS.ProcessEnv;
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    const base = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), '.config');
    this.#folder = join(base, 'siteyard');
  }

  get tokenFile(): string {
    return join(this.#folder, 'tokens.json');
  }

  /** The platform that is meant: by the flag, the environment, or the last sign-in. */
  host(flag?: string): string | undefined {
    const named = flag ?? this.#env.SITEYARD_URL ?? this.#read<Kept>('config.json').host;
    return named === undefined ? undefined : addressOf(named);
  }

  token(host: string): string | undefined {
    return this.isTokenFromEnvironment(host) ? this.#env.SITEYARD_TOKEN : this.#read<Tokens>('tokens.json')[host];
  }

  /** The one of the environment is for the platform of the environment, or of the last sign-in, and for no other that is named in passing. */
  isTokenFromEnvironment(host: string): boolean {
    return Boolean(this.#env.SITEYARD_TOKEN) && host === this.host();
  }

  isSignedIn(host: string): boolean {
    return Object.hasOwn(this.#read<Tokens>('tokens.json'), host);
  }

  team(host: string): string | undefined {
    return this.#env.SITEYARD_TEAM || this.#read<Kept>('config.json').teams?.[host];
  }

  signIn(host: string, token: string): void {
    this.#write('tokens.json', { ...this.#read<Tokens>('tokens.json'), [host]: token });
    this.#write('config.json', { ...this.#read<Kept>('config.json'), host });
  }

  signOut(host: string): void {
    const { [host]: _, ...others } = this.#read<Tokens>('tokens.json');
    if (Object.keys(others).length > 0) this.#write('tokens.json', others);
    else rmSync(this.tokenFile, { force: true });
  }

  useTeam(host: string, teamId: string): void {
    const kept = this.#read<Kept>('config.json');
    this.#write('config.json', { ...kept, teams: { ...kept.teams, [host]: teamId } });
  }

  #read<T>(name: string): Partial<T> & T {
    try {
      return JSON.parse(readFileSync(join(this.#folder, name), 'utf8'));
    } catch {
      return {} as T;
    }
  }

  /** Beside the old one and then in its place, so that a kill leaves one of them whole. Nobody else may read it. */
  #write(name: string, content: object): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, name);
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  }
}

/** Whether nobody on the way reads along. */
export function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** An address as people write it: without a scheme it is https, or http on this machine. */
export function addressOf(text: string): string {
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(text);
  const url = new URL(/^https?:\/\//.test(text) ? text : `${isLocal ? 'http' : 'https'}://${text}`);
  return url.origin;
}
