import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site } from '#sdk';
import { type ClaimRecord, claimIn } from '../../api/domain-claims.ts';
import { regionsQuery } from '../../api/regions.ts';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { teamsQuery } from '../../api/teams.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { ClaimNote } from '../../layout/claim-record.tsx';
import { planRemedy } from '../../layout/plan-link.tsx';
import { SiteNameField, useSiteName } from '../../layout/site-name-field.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../../ui/form.tsx';
import { Select } from '../../ui/select.tsx';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { useQuestion } from '../../ui/use-question.tsx';
import { SaveTemplate } from './save-template.tsx';
import { useSiteChange } from './site-changes.ts';
import { SiteDelete } from './site-delete.tsx';

export function SiteSettings({ site }: { site: Site }) {
  const obstacles = obstaclesOf(site, useMe());
  const regions = useQuery(regionsQuery).data;
  const region = regions?.find(({ id }) => id === site.region_id) ?? regions?.[0];
  const reasons = new Set([obstacles.change, obstacles.own, obstacles.move].filter((reason) => reason !== undefined));
  // Whoever can change nothing here is told once.
  const told = reasons.size === 3 ? [...reasons].slice(0, 1) : [...reasons];
  return (
    <div className="grid max-w-3xl gap-6">
      {told.map((reason) => (
        <BlockedNote key={reason} reason={reason} />
      ))}
      {region && <Rename key={site.fqdn} site={site} region={region} disabled={obstacles.own !== undefined} />}
      <Move key={site.team_id} site={site} disabled={obstacles.move !== undefined} />
      {site.team.plan_type_name !== 'free' && <FreeSlot site={site} disabled={obstacles.change !== undefined} />}
      <SaveTemplate site={site} disabled={obstacles.change !== undefined} />
      <SiteDelete site={site} disabled={obstacles.own !== undefined} />
    </div>
  );
}

type SettingProps = { site: Site; disabled: boolean };

function Rename({ site, region, disabled }: SettingProps & { region: Parameters<typeof useSiteName>[0] }) {
  const change = useSiteChange(site);
  const name = useSiteName(region, site.fqdn);
  const [claim, setClaim] = useState<ClaimRecord>();
  const { ask, question } = useQuestion();
  async function submit() {
    if (name.fqdn === site.fqdn) return void toast.success('The site has this name already.');
    const isSure = await ask({
      title: `Rename the site to ${name.fqdn}?`,
      text: `Addresses in its content are rewritten, and visitors wait a few seconds. ${site.fqdn} leads to the new name until you remove it under Domains.`,
      action: 'Rename',
    });
    if (!isSure) return;
    setClaim(undefined);
    try {
      await change({ new_fqdn: name.fqdn });
    } catch (error) {
      setClaim(claimIn(error));
      throw error;
    }
    toast.success(`The site is being renamed to ${name.fqdn}.`);
  }
  return (
    <Section
      title="Name"
      description="Links inside the site are rewritten. The old name leads to the new one until you remove it under Domains."
    >
      <Form submit={submit} fieldOfCode={{ 'site.name_taken': 'new_fqdn', 'site.name_held': 'new_fqdn' }}>
        <SiteNameField field="new_fqdn" label="Name of the site" name={name} disabled={disabled} />
        <ClaimNote claim={claim} />
        <div>
          <SubmitButton variant="secondary" disabled={disabled}>
            Rename site
          </SubmitButton>
        </div>
      </Form>
      {question}
    </Section>
  );
}

function Move({ site, disabled }: SettingProps) {
  const change = useSiteChange(site);
  const teams = useQuery(teamsQuery(1, 100)).data?.results ?? [];
  const others = teams.filter(({ id, role }) => id !== site.team_id && atLeast(role, 'admin'));
  const [target, setTarget] = useState<string>();
  const chosen = others.find(({ id }) => id === target) ?? others[0];
  const { ask, question } = useQuestion();
  async function submit() {
    const isSure = await ask({
      title: `Move ${site.fqdn} to ${chosen?.name}?`,
      text: `The people of ${chosen?.name} get the site, with the roles that they have there, and those of ${site.team.name} lose it. It counts for the plan of ${chosen?.name} from now on. Visitors notice nothing.`,
      action: 'Move',
    });
    if (!isSure) return;
    const moved = await change({ team_id: chosen?.id ?? site.team_id });
    toast.success(`${moved.fqdn} now belongs to ${moved.team.name}.`);
  }
  return (
    <Section title="Team" description={`The site belongs to ${site.team.name}, whose plan it counts for.`}>
      {chosen === undefined ? (
        <p className="text-muted">To move it, you must be an admin or the owner of another team.</p>
      ) : (
        <Form submit={submit} remedy={planRemedy(chosen)}>
          <Field name="team_id" label="Move to" disabled={disabled}>
            <Select
              options={others.map(({ id, name }) => ({ value: id, label: name }))}
              value={chosen.id}
              onValueChange={setTarget}
              required
            />
          </Field>
          <div>
            <SubmitButton variant="secondary" disabled={disabled}>
              Move site
            </SubmitButton>
          </div>
        </Form>
      )}
      {question}
    </Section>
  );
}

function FreeSlot({ site, disabled }: SettingProps) {
  const change = useSiteChange(site);
  const setFree = useMutation({
    mutationFn: (is_free: boolean) => change({ is_free }),
    onSuccess: () => toast.success('Saved.'),
  });
  return (
    <Section title="Free site">
      <Switch
        label="Make this the team's free site"
        hint="Each team has one free site. It does not count towards the plan, and sleeps after 15 idle minutes."
        checked={site.is_free}
        onCheckedChange={(next) => setFree.mutate(next)}
        disabled={disabled || setFree.isPending}
      />
      {setFree.error && (
        <Alert tone="danger" className="mt-4" action={planRemedy(site.team)(setFree.error)}>
          {messageOf(setFree.error)}
        </Alert>
      )}
    </Section>
  );
}
