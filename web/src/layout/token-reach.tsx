import { useQuery } from '@tanstack/react-query';
import { teamsQuery } from '../api/teams.ts';
import { CheckboxGroup } from '../ui/checkbox.tsx';
import { Field } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';

type Scope = 'read' | 'write' | 'plan';

const scopes = [
  { value: 'read', label: 'Read', hint: 'See everything you see, except secrets' },
  { value: 'write', label: 'Write', hint: 'Do everything you may do' },
  { value: 'plan', label: 'Plan', hint: 'Preview and propose changes, apply none' },
];
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never' },
];

/**
 * What a token may, where, and for how long: fields of a form, whose values `reachOf` reads. Where nothing is given, nothing is chosen yet:
 * whoever lets a program in is to choose, and not only to agree.
 */
export function TokenReach({ scopes: may = [], team }: { scopes?: Scope[]; team?: 'all' }) {
  return (
    <>
      <CheckboxGroup name="scopes" legend="It may" defaultValue={may} options={scopes} />
      <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
        <TeamField label="Team" {...(team && { team })} />
        <Field name="expires_at" label="Expires after">
          <Select options={lifetimes} defaultValue="90" />
        </Field>
      </div>
    </>
  );
}

/** Where it may: one of somebody's teams, or all of them; `teamOf` reads it. */
export function TeamField({ label, team }: { label: string; team?: 'all' }) {
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];
  return (
    <Field name="team_id" label={label}>
      <Select
        options={[
          { value: 'all', label: 'All your teams' },
          ...teams.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...(team && { defaultValue: team })}
        required
      />
    </Field>
  );
}

export const teamOf = ({ team_id }: Record<string, unknown>): { team_id?: string } =>
  team_id === 'all' ? {} : { team_id: String(team_id) };

export function reachOf(values: Record<string, unknown>): { scopes: Scope[]; team_id?: string; expires_at?: string } {
  const days = Number(values.expires_at);
  return {
    scopes: values.scopes as Scope[],
    ...teamOf(values),
    ...(days > 0 && { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() }),
  };
}
