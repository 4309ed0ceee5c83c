import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { regionsQuery } from '../../api/regions.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { siteQuery } from '../../api/sites.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { planRemedy } from '../../layout/plan-link.tsx';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { HostInput } from '../../ui/host-input.tsx';
import { Input } from '../../ui/input.tsx';

export function NewStage({ site }: { site: Site }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const disabled = obstacle !== undefined;
  const queryClient = useQueryClient();
  const domain = useQuery(regionsQuery).data?.[0]?.stage_domain ?? 'localhost';
  const [subdomain, setSubdomain] = useState(`${site.fqdn.split('.')[0]}-stage`);
  async function submit({ git_staging_branch: branch }: { git_staging_branch?: string }) {
    const body = { subdomain: subdomain.trim(), ...(branch?.trim() && { git_staging_branch: branch.trim() }) };
    await api.createStage({ params: { fqdn: site.fqdn }, body });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
  }
  return (
    <div className="grid max-w-3xl gap-6">
      <BlockedNote reason={obstacle} />
      <Section
        title="Staging site"
        description="A copy of the site to try things on. Visitors of the site see nothing of it, search engines stay away, and what it mails is held back."
      >
        <Form submit={submit} remedy={planRemedy(site.team)} fieldOfCode={{ 'site.name_taken': 'subdomain' }}>
          <Field
            name="subdomain"
            label="Name of the staging site"
            disabled={disabled}
            hint="Letters, digits and hyphens."
          >
            <HostInput text={subdomain} onText={setSubdomain} domain={domain} />
          </Field>
          {site.git_url !== null && (
            <Field
              name="git_staging_branch"
              label="Branch to follow"
              optional
              disabled={disabled}
              hint="Of the site's Git repository."
            >
              <Input />
            </Field>
          )}
          <div>
            <SubmitButton disabled={disabled}>Create staging site</SubmitButton>
          </div>
        </Form>
      </Section>
    </div>
  );
}
