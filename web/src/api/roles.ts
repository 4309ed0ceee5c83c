import type { Team } from '#sdk';

export type Role = NonNullable<Team['role']>;

const levels: Record<Role, number> = { owner: 30, admin: 20, member: 10, viewer: 0 };

const roleLabels: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' };

export function roleLabel(role: string): string {
  return roleLabels[role as Role] ?? role;
}

export function atLeast(role: Role | null | undefined, needed: Role): boolean {
  return role != null && levels[role] >= levels[needed];
}

/** Who somebody is in a team, as the beginning of a sentence that says what others can do. */
export function standing(role: Role | null | undefined, team: string): string {
  if (!role) return `You are not in ${team}`;
  return `You are ${{ owner: 'the owner', admin: 'an admin', member: 'a member', viewer: 'a viewer' }[role]} of ${team}`;
}
