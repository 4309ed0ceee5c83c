import type { Client, Team } from '../../sdk/index.ts';
import { createClient, each } from '../../sdk/index.ts';
import { EXIT, needsSignIn, Stop } from './exit.ts';
import { lightFetch } from './http.ts';
import { Screen } from './screen.ts';
import { isPrivate, Settings } from './settings.ts';

/** What every command works with. */
export class Cli {
  readonly env: NodeJS.ProcessEnv = process.env;
  readonly screen = new Screen(process.env);
  readonly settings = new Settings(process.env);
  /** Of the whole command line: `--host`. */
  hostFlag: string | undefined;
  /** `--insecure`. */
  insecureFlag = false;

  host(): string {
    const host = this.settings.host(this.hostFlag);
    if (host === undefined) throw needsSignIn();
    this.requirePrivate(host);
    return host;
  }

  /** Whoever signed in over http has agreed to it. */
  requirePrivate(host: string): void {
    if (this.insecureFlag || isPrivate(host) || this.settings.isSignedIn(host)) return;
    throw new Stop(`${host} is not encrypted: your token could be read on the way.`, {
      advice: 'Use its https address, or begin with `siteyard --insecure` where that is all right.',
    });
  }

  token(): string {
    const host = this.host();
    const token = this.settings.token(host);
    if (token) return token;
    if (!this.env.SITEYARD_TOKEN) throw needsSignIn();
    throw new Stop(`SITEYARD_TOKEN is not sent to ${host}: it is for ${this.settings.host() ?? 'no platform yet'}.`, {
      exitCode: EXIT.needsSignIn,
      advice: `Set SITEYARD_URL=${host} beside it, or sign in with \`siteyard login ${host}\`.`,
    });
  }

  /** Whoever is signed in. */
  get client(): Client {
    return this.clientOf(this.host(), this.token());
  }

  clientOf(host: string, token?: string): Client {
    return createClient({ baseUrl: host, fetch: lightFetch, ...(token && { token }) });
  }

  /** The team that a flag names by its name or id, or the one in use, or the only one. */
  async team(flag?: string): Promise<Team> {
    const { client } = this;
    const teams: Team[] = [];
    for await (const team of each(client.listTeams)) teams.push(team);
    const wish = flag ?? this.settings.team(this.host());
    if (wish !== undefined) {
      const found = teams.filter(({ id, name }) => id === wish || name.toLowerCase() === wish.toLowerCase());
      if (found.length === 1) return found[0] as Team;
      if (flag !== undefined || found.length > 1)
        throw new Stop(found.length > 1 ? `You have several teams called ${wish}.` : `You have no team ${wish}.`, {
          advice: 'See `siteyard team list`; an id works as well as a name.',
        });
    }
    const team = teams.length === 1 ? teams[0] : teams.find(({ is_default }) => is_default);
    if (!team) throw new Stop('Say which team: --team NAME, or `siteyard team use NAME` for all commands.');
    return team;
  }

  /** A site as people name it; without a dot it is one below the platform's own domain. */
  async siteName(text: string): Promise<string> {
    if (text.includes('.')) return text.toLowerCase();
    const [region] = await this.client.listRegions();
    return region ? `${text.toLowerCase()}.${region.site_domain}` : text;
  }

  /** Where a site is opened: as the platform itself is, at the same port. */
  siteAddress(fqdn: string): string {
    const { protocol, port } = new URL(this.host());
    return `${protocol}//${fqdn}${port && `:${port}`}/`;
  }
}
