import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Team } from '#sdk';
import { api } from '../../api/client.ts';
import { teamQuery } from '../../api/teams.ts';
import { Section } from '../../ui/card.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';

const timezones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const policies = [
  { value: 'off', label: 'Nothing', hint: 'People update everything themselves.' },
  { value: 'security', label: 'Security updates', hint: 'Minor releases of WordPress, and the plugins you name.' },
  { value: 'all', label: 'Everything', hint: 'WordPress, plugins and themes.' },
];

export function TeamSettings({ team, editable }: { team: Team; editable: boolean }) {
  const queryClient = useQueryClient();
  async function submit({ name = '', timezone }: Record<string, string>) {
    const changed = await api.updateTeam({ params: { team_id: team.id }, body: { name, timezone } });
    queryClient.setQueryData(teamQuery(team.id).queryKey, changed);
    await queryClient.invalidateQueries({ queryKey: ['teams'] });
    toast.success('Saved.');
  }
  return (
    <div className="grid gap-6">
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
      <AutomaticUpdates team={team} editable={editable} />
    </div>
  );
}

/** What is updated by itself, in the night of the team's time zone. */
function AutomaticUpdates({ team, editable }: { team: Team; editable: boolean }) {
  const queryClient = useQueryClient();
  const [policy, setPolicy] = useState<string>(team.update_policy);
  async function submit({ update_plugins = '' }: Record<string, string>) {
    const body = {
      update_policy: policy as Team['update_policy'],
      ...(policy === 'security' && { update_plugins: update_plugins.split(/[\s,]+/).filter((name) => name !== '') }),
    };
    const changed = await api.updateTeam({ params: { team_id: team.id }, body });
    queryClient.setQueryData(teamQuery(team.id).queryKey, changed);
    toast.success('Saved.');
  }
  return (
    <Section
      title="Automatic updates"
      description="Between 2 and 5 at night, a few sites at a time. Pages are checked after each; what breaks one is rolled back, and the owner gets an email."
    >
      <Form key={`${team.update_policy} ${team.update_plugins.join()}`} submit={submit}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="update_policy" label="What updates by itself" disabled={!editable}>
            <Select options={policies} value={policy} onValueChange={setPolicy} required />
          </Field>
          {policy === 'security' && (
            <Field
              name="update_plugins"
              label="Plugins too"
              hint="Names as in wordpress.org/plugins/name, separated by spaces."
              optional
              disabled={!editable}
            >
              <Input
                defaultValue={team.update_plugins.join(' ')}
                autoCapitalize="none"
                spellcheck={false}
                placeholder="akismet woocommerce"
              />
            </Field>
          )}
        </div>
        {editable && (
          <div>
            <SubmitButton>Save policy</SubmitButton>
          </div>
        )}
      </Form>
    </Section>
  );
}
