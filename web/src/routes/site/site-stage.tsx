import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { HeldMail, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { regionsQuery } from '../../api/regions.ts';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { addressOf, siteQuery } from '../../api/sites.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Listing } from '../../layout/listing.tsx';
import { planRemedy } from '../../layout/plan-link.tsx';
import { Button, buttonStyle } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { HostInput } from '../../ui/host-input.tsx';
import { MailIcon, OpenIcon, ReopenIcon, TrashIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { SignInButton } from './sign-in-button.tsx';
import { stageChangesQuery, stageMailQuery } from './site-queries.ts';
import { SiteSleep } from './site-sleep.tsx';
import { StageChanges } from './stage-changes.tsx';
import { type StageProps, StageSettings } from './stage-settings.tsx';

export function SiteStage({ site }: { site: Site }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  return (
    <div className="grid max-w-3xl gap-6">
      {site.busy !== 'staging' && <BlockedNote reason={obstacle} />}
      {site.site_stage === null ? (
        <NewStage site={site} disabled={obstacle !== undefined} />
      ) : (
        <Stage site={site} stage={site.site_stage} disabled={obstacle !== undefined} />
      )}
    </div>
  );
}

function NewStage({ site, disabled }: { site: Site; disabled: boolean }) {
  const queryClient = useQueryClient();
  const domain = useQuery(regionsQuery).data?.[0]?.stage_domain ?? 'localhost';
  const [subdomain, setSubdomain] = useState(`${site.fqdn.split('.')[0]}-stage`);
  async function submit({ git_staging_branch: branch }: { git_staging_branch?: string }) {
    const body = { subdomain: subdomain.trim(), ...(branch?.trim() && { git_staging_branch: branch.trim() }) };
    await api.createStage({ params: { fqdn: site.fqdn }, body });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
  }
  return (
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
          <SubmitButton disabled={disabled}>Make staging site</SubmitButton>
        </div>
      </Form>
    </Section>
  );
}

function Stage({ site, stage, disabled }: StageProps) {
  const queryClient = useQueryClient();
  const isMaking = site.busy === 'staging';
  async function refresh() {
    await api.refreshStage({ params: { fqdn: site.fqdn } });
    queryClient.removeQueries({ queryKey: stageChangesQuery(site.fqdn).queryKey });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
  }
  async function remove() {
    await api.deleteStage({ params: { fqdn: site.fqdn } });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
    toast.success(`${stage.fqdn} is deleted.`);
  }
  return (
    <>
      <Section
        title="Staging site"
        description="What you change there stays there until you bring it to the site."
        action={
          isMaking ? (
            <p role="status" className="flex items-center gap-2 text-muted">
              <Spinner /> It is being made
            </p>
          ) : (
            <div className="flex flex-wrap gap-2">
              <a href={addressOf(stage.fqdn)} target="_blank" rel="noreferrer" className={buttonStyle()}>
                <OpenIcon /> Open
              </a>
              <SignInButton site={site} stage variant="secondary">
                Sign in
              </SignInButton>
              <ConfirmAction
                trigger={
                  <Button variant="secondary" disabled={disabled}>
                    <ReopenIcon /> Refresh
                  </Button>
                }
                title={`Make ${stage.fqdn} anew?`}
                action="Make it anew"
                onConfirm={refresh}
              >
                It becomes what {site.fqdn} is now. What was changed there is only in its backups then.
              </ConfirmAction>
              <ConfirmAction
                trigger={
                  <Button variant="secondary" disabled={disabled}>
                    <TrashIcon /> Delete
                  </Button>
                }
                title={`Delete ${stage.fqdn}?`}
                action="Delete"
                onConfirm={remove}
              >
                Everything that was changed there is lost for good. {site.fqdn} stays as it is.
              </ConfirmAction>
            </div>
          )
        }
      >
        <Definitions
          rows={[
            ['Name', stage.fqdn],
            ['Made', <Time key="made" iso={stage.created_at} />],
            ...(stage.git_branch ? [['Follows the branch', stage.git_branch] as [string, string]] : []),
          ]}
        />
      </Section>
      {!isMaking && atLeast(site.team.role, 'member') && (
        <>
          <StageChanges site={site} disabled={disabled} />
          <StageMail site={site} />
          <StageSettings site={site} stage={stage} disabled={disabled} />
          <SiteSleep site={site} stage={stage} />
        </>
      )}
    </>
  );
}

function StageMail({ site }: { site: Site }) {
  const [page, setPage] = useState(1);
  const query = useQuery(stageMailQuery(site.fqdn, page));
  return (
    <Section title="Mail that was held back" description="What the staging site wanted to send. Nobody got it." flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<MailIcon />} title="Nothing yet">
            Orders, sign-ups and comments on the staging site can be tried without writing to anybody.
          </Empty>
        }
      >
        {(mails) => (
          <ul className="divide-y divide-line">
            {mails.map((mail) => (
              <Mail key={mail.id} mail={mail} />
            ))}
          </ul>
        )}
      </Listing>
    </Section>
  );
}

function Mail({ mail }: { mail: HeldMail }) {
  return (
    <li>
      <details>
        <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-3 px-5 py-3 hover:bg-raised">
          <span className="min-w-0 flex-1 truncate font-medium">{mail.subject || 'Without a subject'}</span>
          <span className="truncate text-muted">{mail.recipients.join(', ')}</span>
          <span className="text-muted">
            <Time iso={mail.written_at} />
          </span>
        </summary>
        <pre className="whitespace-pre-wrap break-words px-5 pb-4 font-sans">{textOf(mail)}</pre>
      </details>
    </li>
  );
}

/** A parsed document runs nothing and loads nothing. */
function textOf({ text, html }: HeldMail): string {
  if (text.trim() !== '' || html === null) return text;
  return new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '';
}
