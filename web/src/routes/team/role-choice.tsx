import type { Person } from '#sdk';
import { roleLabel } from '../../api/roles.ts';
import { formatAmount } from '../../ui/format.ts';
import { Select } from '../../ui/select.tsx';

export type GivenRole = 'admin' | 'member' | 'viewer';

export const givenRoles: { value: GivenRole; label: string; hint: string }[] = [
  { value: 'admin', label: 'Admin', hint: 'Works on every site, may delete and move them' },
  { value: 'member', label: 'Member', hint: 'Makes sites, works on them, opens tickets' },
  { value: 'viewer', label: 'Viewer', hint: 'Sees everything, changes nothing' },
];

/** The same on one site. */
export const siteRoles: { value: GivenRole; label: string; hint: string }[] = [
  { value: 'admin', label: 'Admin', hint: 'May also rename and delete the site' },
  { value: 'member', label: 'Member', hint: 'Works on the site' },
  { value: 'viewer', label: 'Viewer', hint: 'Looks at the site' },
];

/** What somebody is, in a word or two. */
export function describeRole({ role, site_count }: Pick<Person, 'role' | 'site_count'>): string {
  if (site_count === null) return roleLabel(role);
  const sites = formatAmount(site_count, 'site');
  return role === 'limited' ? `Only ${sites}` : `${roleLabel(role)}, only ${sites}`;
}

type RoleChoiceProps = {
  name: string;
  person: Pick<Person, 'role' | 'site_count'>;
  onRole: (role: GivenRole) => void;
  /** Undefined where that can not be chosen. */
  onSites?: (() => void) | undefined;
};

const some = 'limited';

/** A role that is changed where it stands. */
export function RoleChoice({ name, person, onRole, onSites }: RoleChoiceProps) {
  const limited = {
    value: some,
    label: person.role === 'limited' ? describeRole(person) : 'Only some sites…',
    hint: 'Sees nothing else of the team',
  };
  return (
    <Select
      aria-label={`Role of ${name}`}
      className="w-36 sm:w-40"
      value={person.role}
      onValueChange={(next) => (next === some ? onSites?.() : onRole(next as GivenRole))}
      options={[...givenRoles, ...(onSites ? [limited] : [])]}
    />
  );
}
