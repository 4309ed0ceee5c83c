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
