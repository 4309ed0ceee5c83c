export const ROLE_LEVELS = { viewer: 0, member: 10, admin: 20, owner: 30 } as const;
export type Role = keyof typeof ROLE_LEVELS;

/**
 * A token of kind `metrics` tells the metrics dashboard who somebody is; for every other purpose it is no credential. An `ssh_key` comes in by
 * ssh alone. `oauth` is what somebody let a program of others do. A `view` is an operator's, who looks at somebody's account and changes nothing.
 */
export const CREDENTIAL_KINDS = ['session', 'api_token', 'metrics', 'ssh_key', 'oauth', 'view'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** What a token can be for alone (RFC 8707). */
export type Resource = 'mcp';

export const SCOPES = ['read', 'write', 'plan'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who is asking, and with which credential. Small enough to keep in memory for a few seconds. */
export interface Caller {
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly isSuperuser: boolean;
  readonly isVerified: boolean;
  /** The operator who looks at this person's account; undefined where it is the person. */
  readonly viewedBy?: string;
  /** The role in each team that this credential reaches. */
  readonly roles: ReadonlyMap<string, Role>;
  /**
   * The teams that they are in for some sites alone, and what they are on each of those. Such a team is not in `roles`: what asks for a
   * team, and not for a site, is not for them.
   */
  readonly limitedTo: ReadonlySet<string>;
  readonly siteRoles: ReadonlyMap<string, SiteRole>;
  readonly credential: {
    readonly id: string;
    readonly kind: CredentialKind;
    readonly scopes: readonly Scope[];
    readonly teamId: string | null;
    readonly expiresAt: Date | null;
    /** Where alone its token is shown; null where it opens whatever its owner may. */
    readonly resource: Resource | null;
  };
}

export interface SiteRole {
  readonly teamId: string;
  readonly role: Role;
}

/** The same caller as with a token that is bound to a team, or that may do only this. It never widens what they may. */
export function narrowed(caller: Caller, { teamId, scopes }: { teamId?: string; scopes?: readonly Scope[] }): Caller {
  const { credential } = caller;
  const isKept = (id: string) => teamId === undefined || id === teamId;
  const roles = [...caller.roles].filter(([id]) => isKept(id));
  return {
    ...caller,
    isSuperuser: caller.isSuperuser && teamId === undefined,
    roles: new Map(roles),
    limitedTo: new Set([...caller.limitedTo].filter(isKept)),
    siteRoles: new Map([...caller.siteRoles].filter(([, on]) => isKept(on.teamId))),
    credential: {
      ...credential,
      teamId: teamId ?? credential.teamId,
      scopes: scopes?.filter((scope) => hasScope(caller, scope)) ?? credential.scopes,
    },
  };
}

export function hasRole(caller: Caller, teamId: string, atLeast: Role): boolean {
  return isAtLeast(caller.roles.get(teamId), atLeast);
}

export function isAtLeast(role: Role | undefined, atLeast: Role): boolean {
  return role !== undefined && ROLE_LEVELS[role] >= ROLE_LEVELS[atLeast];
}

/** A live site, or a copy of one; who may at a copy is who may at its site. */
export interface SiteOfTeam {
  readonly id: string;
  readonly of_site_id?: string | null;
  readonly team_id: string;
}

/** What they are on a site: by the team, or by the site where they are limited to some. */
export function roleOnSite(caller: Caller, { id, of_site_id, team_id }: SiteOfTeam): Role | undefined {
  const limited = caller.siteRoles.get(of_site_id ?? id);
  return caller.roles.get(team_id) ?? (limited?.teamId === team_id ? limited.role : undefined);
}

export function hasRoleOnSite(caller: Caller, site: SiteOfTeam, atLeast: Role): boolean {
  return isAtLeast(roleOnSite(caller, site), atLeast);
}

/** The same for what belongs to a team and may be about a site of it. */
export function roleOnMatter(
  caller: Caller,
  { team_id, site_id }: { team_id: string; site_id: string | null },
): Role | undefined {
  return site_id === null ? caller.roles.get(team_id) : roleOnSite(caller, { id: site_id, team_id });
}

/** The teams that they are in at all, be it for one site. */
export function teamsOf(caller: Caller): string[] {
  return [...caller.roles.keys(), ...caller.limitedTo];
}

export function isInTeam(caller: Caller, teamId: string): boolean {
  return caller.roles.has(teamId) || caller.limitedTo.has(teamId);
}

/** Every scope reads; `plan` may besides preview and propose; only `write` changes anything. */
export function hasScope(caller: Caller, needed: Scope): boolean {
  const { scopes } = caller.credential;
  if (needed === 'read') return scopes.length > 0;
  return scopes.includes('write') || scopes.includes(needed);
}

/** Credentials that may not change anything are not shown what would let them. */
export function seesSecrets(caller: Caller): boolean {
  return caller.credential.scopes.includes('write');
}
