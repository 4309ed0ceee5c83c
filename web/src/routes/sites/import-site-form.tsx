import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ChangeEvent, useState } from 'react';
import type { Region, Team } from '#sdk';
import { apiWithProgress } from '../../api/client.ts';
import { type ClaimRecord, claimIn } from '../../api/domain-claims.ts';
import { siteQuery } from '../../api/sites.ts';
import { ClaimNote } from '../../layout/claim-record.tsx';
import { planRemedy } from '../../layout/plan-link.tsx';
import { SiteNameField, useSiteName } from '../../layout/site-name-field.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { PlaceFields, usePlace } from './place-fields.tsx';

type ImportSiteFormProps = { teams: Team[]; regions: Region[]; initialTeam: string | undefined };

export function ImportSiteForm({ teams, regions, initialTeam }: ImportSiteFormProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const place = usePlace(teams, regions, initialTeam);
  const name = useSiteName(place.region);
  const [archive, setArchive] = useState<File>();
  const [sent, setSent] = useState<number>();
  const [claim, setClaim] = useState<ClaimRecord>();

  async function submit() {
    if (!archive) return;
    setClaim(undefined);
    setSent(0);
    try {
      const query = { fqdn: name.fqdn, ...place.chosen };
      const site = await apiWithProgress(setSent).importSite({ query, body: archive });
      queryClient.setQueryData(siteQuery(site.fqdn).queryKey, site);
      void queryClient.invalidateQueries({ queryKey: ['sites', 'list'] });
      await navigate({ to: '/sites/$fqdn', params: { fqdn: site.fqdn }, replace: true });
    } catch (error) {
      setClaim(claimIn(error));
      throw error;
    } finally {
      setSent(undefined);
    }
  }

  return (
    <Form
      submit={submit}
      fieldOfCode={{ 'site.name_taken': 'fqdn', 'site.name_held': 'fqdn' }}
      remedy={planRemedy(place.team)}
    >
      <Field
        name="archive"
        label="Archive"
        hint="A .zip, .tar.gz or .tar.zst with wp-content and an SQL dump, as tools for backups write it."
      >
        <Input
          type="file"
          accept=".zip,.gz,.tgz,.zst"
          required
          className="py-1.5"
          onChange={(event: ChangeEvent<HTMLInputElement>) => setArchive(event.currentTarget.files?.[0])}
        />
      </Field>
      <SiteNameField field="fqdn" label="Name" name={name} />
      <ClaimNote claim={claim} />
      <PlaceFields place={place} teams={teams} regions={regions} />
      <p className="text-muted">Whoever has an account in the site signs in as before, with the same password.</p>
      {sent !== undefined && <Sending percentage={sent} />}
      <div className="flex flex-wrap justify-end gap-2 border-line border-t pt-5">
        <Link to="/sites" className={buttonStyle({ variant: 'secondary' })}>
          Cancel
        </Link>
        <SubmitButton>Import site</SubmitButton>
      </div>
    </Form>
  );
}

/** Once all of it is there it is unpacked, and nobody knows how long that takes. */
function Sending({ percentage }: { percentage: number }) {
  const isThere = percentage >= 100;
  return (
    <div className="grid gap-2">
      <p role="status" className="text-muted text-sm">
        {isThere ? 'Reading the archive' : 'Sending the archive'}
      </p>
      <ProgressBar label="The archive" percentage={isThere ? null : Math.round(percentage)} />
    </div>
  );
}
