import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Region, Team, Template } from '#sdk';
import { api } from '../../api/client.ts';
import { type ClaimRecord, claimIn } from '../../api/domain-claims.ts';
import { useMe } from '../../api/session.ts';
import { siteQuery } from '../../api/sites.ts';
import { ClaimNote } from '../../layout/claim-record.tsx';
import { planRemedy } from '../../layout/plan-link.tsx';
import { SiteNameField, useSiteName } from '../../layout/site-name-field.tsx';
import { buttonStyle } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { slugOf } from '../../ui/format.ts';
import { Input } from '../../ui/input.tsx';
import { NewPasswordField } from '../../ui/new-password-field.tsx';
import { RadioCards } from '../../ui/radio.tsx';
import { MoreOptions } from './more-options.tsx';
import { PlaceFields, usePlace } from './place-fields.tsx';
import { cardOf, emptyCard } from './template-card.tsx';

type NewSiteFormProps = {
  teams: Team[];
  regions: Region[];
  templates: Template[];
  initialTeam: string | undefined;
};

export function NewSiteForm({ teams, regions, templates, initialTeam }: NewSiteFormProps) {
  const me = useMe();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const place = usePlace(teams, regions, initialTeam);
  const [username, setUsername] = useState(slugOf(me.first_name) || 'editor');
  const [email, setEmail] = useState(me.email);
  const [isFree, setIsFree] = useState(false);
  const [template, setTemplate] = useState(EMPTY);
  const [claim, setClaim] = useState<ClaimRecord>();
  const name = useSiteName(place.region);
  const [nameIsOwn, setNameIsOwn] = useState(false);

  async function submit(values: Record<string, string>) {
    setClaim(undefined);
    try {
      const site = await api.createSite({
        body: {
          fqdn: name.fqdn,
          ...place.chosen,
          is_free: isFree,
          ...(template !== EMPTY && { template_name: template }),
          cms_blog_name: values.cms_blog_name ?? '',
          cms_username: username,
          cms_email: email,
          cms_password: values.cms_password ?? '',
          // Closed options are not there; then it is the caller's own name.
          cms_first_name: values.cms_first_name ?? me.first_name,
          cms_last_name: values.cms_last_name ?? me.last_name,
        },
      });
      queryClient.setQueryData(siteQuery(site.fqdn).queryKey, site);
      void queryClient.invalidateQueries({ queryKey: ['sites', 'list'] });
      await navigate({ to: '/sites/$fqdn', params: { fqdn: site.fqdn }, replace: true });
    } catch (error) {
      setClaim(claimIn(error));
      throw error;
    }
  }

  return (
    <Form
      submit={submit}
      fieldOfCode={{ 'site.name_taken': 'fqdn', 'site.name_held': 'fqdn' }}
      remedy={planRemedy(place.team)}
    >
      <Field name="cms_blog_name" label="Title" hint="What visitors read at the top. You can change it later.">
        <Input
          required
          autoFocus
          autoComplete="off"
          placeholder="Harbour Notes"
          onValueChange={(title) => {
            if (!nameIsOwn && !name.isWhole) name.setText(slugOf(String(title)));
          }}
        />
      </Field>
      <SiteNameField
        field="fqdn"
        label="Name"
        name={{
          ...name,
          setText: (text) => {
            setNameIsOwn(text !== '');
            name.setText(text);
          },
        }}
      />
      <ClaimNote claim={claim} />
      {templates.length > 0 && (
        <RadioCards
          name="template_name"
          legend="Begin with"
          options={[emptyCard(EMPTY), ...templates.map(cardOf)]}
          value={template}
          onValueChange={setTemplate}
        />
      )}
      <PlaceFields place={place} teams={teams} regions={regions} />
      <fieldset className="grid gap-5 border-line border-t pt-5">
        <legend className="sr-only">The first administrator of the site</legend>
        <p aria-hidden="true" className="text-muted">
          You sign in to WordPress with this. The dashboard can also sign you in without it.
        </p>
        <div className="grid gap-5 sm:grid-cols-2 sm:gap-3">
          <Field name="cms_username" label="User name">
            <Input
              value={username}
              onValueChange={(next) => setUsername(String(next))}
              required
              autoComplete="off"
              autoCapitalize="none"
              spellcheck={false}
            />
          </Field>
          <Field name="cms_email" label="Email">
            <Input
              type="email"
              value={email}
              onValueChange={(next) => setEmail(String(next))}
              required
              autoComplete="off"
            />
          </Field>
        </div>
        <NewPasswordField name="cms_password" label="Password" names={[username, email.split('@')[0] ?? '']} />
      </fieldset>
      <MoreOptions me={me} team={place.team} isFree={isFree} onFreeChange={setIsFree} />
      <div className="flex flex-wrap justify-end gap-2 border-line border-t pt-5">
        <Link to="/sites" className={buttonStyle({ variant: 'secondary' })}>
          Cancel
        </Link>
        <SubmitButton>Create site</SubmitButton>
      </div>
    </Form>
  );
}

/** No template has a name without letters and digits. */
const EMPTY = '-';
