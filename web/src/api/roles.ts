import { api } from './client.ts';

export type Role = 'owner' | 'admin' | 'member' | 'viewer';

const levels: Record<Role, number> = { owner: 30, admin: 20, member: 10, viewer: 0 };

const roleLabels: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member', viewer: 'Viewer' };

export function roleLabel(role: string): string {
  return roleLabels[role as Role] ?? role;
}

export function atLeast(role: Role | undefined, needed: Role): boolean {
  return role !== undefined && levels[role] >= levels[needed];
}

/** Only the member list says which role the caller has, so this walks it until it meets them. */
export async function findRole(team_id: string, userId: string, signal: AbortSignal): Promise<Role> {
  for (let page = 1; ; page += 1) {
    const members = await api.listMembers({ params: { team_id }, query: { page, size: 100 }, signal });
    const found = members.results.find((member) => member.user_id === userId);
    if (found) return found.role as Role;
    if (!members.next) return 'viewer';
  }
}
