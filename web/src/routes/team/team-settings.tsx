import { useQueryClient } from '@tanstack/react-query';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { teamQuery } from '../../api/teams.ts';
import { Section } from '../../ui/card.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

const timezones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

export function TeamSettings({ team, editable }: { team: Team; editable: boolean }) {
  const queryClient = useQueryClient();
  async function submit({ name = '', timezone }: Record<string, string>) {
    const changed = await api.updateTeam({ params: { team_id: team.id }, body: { name, timezone } });
    queryClient.setQueryData(teamQuery(team.id).queryKey, changed);
    await queryClient.invalidateQueries({ queryKey: ['teams'] });
    toast.success('Saved.');
  }
  return (
    <Section title="Settings" description={editable ? undefined : 'Only the owner can change these.'}>
      {/* The key makes the form start over when someone else changes the team. */}
      <Form key={`${team.name} ${team.timezone}`} submit={submit}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="name" label="Name" disabled={!editable}>
            <Input defaultValue={team.name} required />
          </Field>
          <Field name="timezone" label="Time zone" disabled={!editable}>
            <Combobox items={timezones} defaultValue={team.timezone} required />
          </Field>
        </div>
        {editable && (
          <div>
            <SubmitButton>Save changes</SubmitButton>
          </div>
        )}
      </Form>
    </Section>
  );
}
