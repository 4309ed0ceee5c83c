import type { Config } from '../config.ts';
import { type Caller, hasRole, hasScope, isAtLeast, isInTeam, type Role, type Scope } from './auth/caller.ts';
import type { Db } from './db/database.ts';
import { type Failure, failure, forbidden, unauthenticated } from './errors.ts';

/**
 * Who may call an operation. Each operation names one Access; together they are the table that the server enforces and
 * policy.test.ts walks. Whoever is not in the team that owns a thing gets the answer for a thing that does not exist.
 */
export interface Access<Subject = undefined> {
  readonly who: 'anyone' | 'bearer' | 'user' | 'account' | 'session' | 'operator' | 'team';
  /** For people: the rule in words, shown in the reference. */
  readonly rule: string;
  /** True where whoever is signed in matters although nobody needs to be. */
  readonly identifies?: true;
  /** What a token must allow; reading or writing, by the method, unless said otherwise. */
  readonly scope?: Scope;
  /** True for what reaches beyond the account, and so waits until its email address is confirmed. */
  readonly verified?: true;
  /** True for what a stolen API token must not be able to do to the named thing. */
  readonly session?: true;
  /** Where the named thing stands. What the path names is looked up before the rest of the request is even read. */
  readonly named?: 'path' | 'query' | 'body';
  /** Finds the named thing if this caller may know of it, and throws when they may not do this to it. */
  readonly find?: (db: Db, caller: Caller, input: Record<string, unknown>, config: Config) => Promise<Subject>;
  /** What `find` can refuse with. */
  readonly errors?: readonly Failure[];
}

export const teamNotFound = failure('team.not_found', 404, 'There is no such team, or you are not in it.');
export const insufficientScope = failure(
  'auth.insufficient_scope',
  403,
  'This token may not do that; it needs a wider scope.',
);
export const sessionRequired = failure(
  'auth.session_required',
  403,
  'Sign in with your password for this; a personal API token may not do it.',
);
export const boundToTeam = failure('auth.bound_to_team', 403, 'This token is bound to one team; use one that is not.');
export const operatorsOnly = failure('auth.operators_only', 403, 'Only an operator of the platform may do this.');
const unverified = failure(
  'auth.unverified',
  403,
  'Confirm your email address first, with the link that we mailed to you.',
);

export const anyone: Access = { who: 'anyone', rule: 'anyone, signed in or not' };
export const anyoneKnown: Access = { ...anyone, identifies: true };
export const signedIn: Access = { who: 'user', rule: 'anyone signed in' };
/** Who somebody is, for whoever holds their token. The cookie does not do: a browser would send it by itself. */
export const withBearer: Access = {
  who: 'bearer',
  rule: 'whoever holds a bearer token, be it only one for the metrics dashboard',
};
/** What reaches beyond one team, and so is not for a token that is bound to one. */
export const forAccount: Access = { who: 'account', rule: 'anyone signed in, with no token bound to one team' };
/** What a stolen API token must not be able to do: make more tokens, change the password. */
export const withPassword: Access = { who: 'session', rule: 'anyone signed in with a password' };
export const operator: Access = { who: 'operator', rule: 'operators of the platform' };

/** Operators, on what the path names, so that a missing thing is answered before the rest of the request is read. */
export function operatorOn<Subject>(
  find: (db: Db, input: Record<string, unknown>) => Promise<Subject | undefined>,
  missing: Failure,
): Access<Subject> {
  return {
    ...operator,
    named: 'path',
    errors: [missing],
    find: async (db, _caller, input) => {
      const subject = await find(db, input);
      if (subject === undefined) throw missing();
      return subject;
    },
  };
}

/** Also for tokens that may only plan: it changes nothing, or refuses them by itself where it would. */
export function planning<Subject>(access: Access<Subject>): Access<Subject> {
  return { ...access, scope: 'plan' };
}

/**
 * For nobody whose email address is not confirmed: whoever registered it may not be whose it is. It is asked of all that
 * reaches a third person, or that would still be there when the true owner takes the account over (docs/decisions/0015).
 */
export function verified<Subject>(access: Access<Subject>): Access<Subject> {
  return { ...mayRefuseUnverified(access), verified: true, rule: `${access.rule}, with a confirmed email address` };
}

/** The same where the request decides; whoever looks at that asks `requireVerified`, and this says so in the rule. */
export function verifiedIf<Subject>(when: string, access: Access<Subject>): Access<Subject> {
  return { ...mayRefuseUnverified(access), rule: `${access.rule}; ${when} with a confirmed email address` };
}

/** For nobody with a token: what takes something from others for good is asked of whoever signed in. */
export function bySession<Subject>(access: Access<Subject>): Access<Subject> {
  const errors = [...(access.errors ?? []), sessionRequired];
  return { ...access, errors, session: true, rule: `${access.rule}, signed in with a password` };
}

const mayRefuseUnverified = <Subject>(access: Access<Subject>): Access<Subject> => ({
  ...access,
  errors: [...(access.errors ?? []), unverified],
});

export function requireVerified(caller: Caller): void {
  if (!caller.isVerified) throw unverified();
}

/** In words, for the documentation. */
export function ruleOf(role: Role): string {
  return role === 'owner' ? 'owner of the team' : `${role} of the team and above`;
}

/** Members of the named team, from a role upwards. The subject is the team's id. */
export function inTeam(role: Role, named: 'path' | 'query' | 'body' = 'path'): Access<string> {
  return {
    who: 'team',
    rule: ruleOf(role),
    named,
    errors: [teamNotFound, forbidden],
    find: async (_db, caller, input) => {
      const teamId = input.team_id;
      if (typeof teamId !== 'string') throw teamNotFound();
      return onTeam(caller, teamId, role);
    },
  };
}

/** Whoever is in the named team at all, be it for some of its sites alone. The subject is the team's id. */
export const anyInTeam: Access<string> = {
  who: 'team',
  rule: 'viewer of the team and above, or whoever is in it for some of its sites',
  named: 'path',
  errors: [teamNotFound],
  find: async (_db, caller, input) => {
    const teamId = String(input.team_id);
    if (!isInTeam(caller, teamId)) throw teamNotFound();
    return teamId;
  },
};

/** For a policy that has to decide more than this. */
export function onTeam(caller: Caller, teamId: string, role: Role): string {
  // A limited member knows that the team exists, so a 404 would not help.
  if (caller.limitedTo.has(teamId)) throw forbidden({ message: LIMITED });
  if (!caller.roles.has(teamId)) throw teamNotFound();
  if (!hasRole(caller, teamId, role)) throw tooLow(role);
  return teamId;
}

const LIMITED = 'You are in this team for some of its sites only. Ask an admin of the team for a role in all of it.';

export function requireUnbound(caller: Caller): void {
  if (caller.credential.teamId !== null) throw boundToTeam();
}

/**
 * Members of the team that owns the named record, from a role upwards, and whoever `orIf` lets besides. `roleIn` says what somebody is with
 * it where the team alone does not.
 */
export function onRecord<Subject extends { team_id: string }>(options: {
  role: Role;
  missing: Failure;
  find: (db: Db, input: Record<string, string>) => Promise<Subject | undefined>;
  roleIn?: (caller: Caller, subject: Subject) => Role | undefined;
  orIf?: { rule: string; test: (caller: Caller, subject: Subject) => boolean };
}): Access<Subject> {
  const { role, missing, orIf, roleIn = (caller, { team_id }) => caller.roles.get(team_id) } = options;
  return {
    who: 'team',
    rule: `${ruleOf(role)}${orIf ? `, or ${orIf.rule}` : ''}`,
    named: 'path',
    errors: roleErrors(role, missing),
    find: async (db, caller, input) => {
      const subject = await options.find(db, input as Record<string, string>);
      const has = subject && roleIn(caller, subject);
      if (!subject || has === undefined) throw missing();
      if (!isAtLeast(has, role) && !orIf?.test(caller, subject)) throw tooLow(role);
      return subject;
    },
  };
}

/** A viewer is whoever is in the team at all. */
function roleErrors(role: Role, missing: Failure): readonly Failure[] {
  return role === 'viewer' ? [missing] : [missing, forbidden];
}

const tooLow = (role: Role) => forbidden({ message: `This needs the role ${role} or above in the team.` });

/** The first question of all. */
export function checkSignedIn(access: Access<unknown>, caller: Caller | undefined): void {
  if (access.who !== 'anyone' && !caller) throw unauthenticated({ headers: { 'www-authenticate': 'Bearer' } });
}

/** Whether this credential is one at all for the operation. */
export function opens(access: Access<unknown>, caller: Caller): boolean {
  return access.who === 'bearer' || caller.credential.kind !== 'metrics';
}

/** The part of a policy that needs nothing but the credential. */
export function checkCaller(access: Access<unknown>, caller: Caller, method: string): void {
  if (access.who === 'operator' && !caller.isSuperuser) throw operatorsOnly();
  if (access.who === 'session' && caller.credential.kind !== 'session') throw sessionRequired();
  if (access.who === 'account') requireUnbound(caller);
  // Every scope reads, and a token for the metrics dashboard has none.
  if (access.who === 'bearer') return;
  if (access.who !== 'anyone' && access.find === undefined) checkReach(access, caller, method);
}

/**
 * What the token may and whether the address is confirmed. Comes after the lookup: a stranger who may do little still
 * learns only that there is no such thing.
 */
export function checkReach(access: Access<unknown>, caller: Caller, method: string): void {
  requireScope(caller, access.scope ?? (method === 'GET' ? 'read' : 'write'));
  if (access.session && caller.credential.kind !== 'session') throw sessionRequired();
  if (access.verified) requireVerified(caller);
}

export function requireScope(caller: Caller, scope: Scope): void {
  if (!hasScope(caller, scope)) throw insufficientScope();
}
