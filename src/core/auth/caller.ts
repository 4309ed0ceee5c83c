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

/** The same caller as with a token that is bound to a team, or that may do only this. It never widens what they may. */
export function narrowed(caller: Caller, { teamId, scopes }: { teamId?: string; scopes?: readonly Scope[] }): Caller {
  const { credential } = caller;
  const roles = [...caller.roles].filter(([id]) => teamId === undefined || id === teamId);
  return {
    ...caller,
    isSuperuser: caller.isSuperuser && teamId === undefined,
    roles: new Map(roles),
    credential: {
      ...credential,
      teamId: teamId ?? credential.teamId,
      scopes: scopes?.filter((scope) => hasScope(caller, scope)) ?? credential.scopes,
    },
  };
}

export function hasRole(caller: Caller, teamId: string, atLeast: Role): boolean {
  const role = caller.roles.get(teamId);
  return role !== undefined && ROLE_LEVELS[role] >= ROLE_LEVELS[atLeast];
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
