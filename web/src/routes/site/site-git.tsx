import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { GitLink, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { siteQuery } from '../../api/sites.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';
import { Definitions } from '../../ui/definitions.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../../ui/form.tsx';
import { KeyIcon, ReopenIcon, TrashIcon } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSiteChange } from './site-changes.ts';
import { CommitHash, SiteDeploys } from './site-deploys.tsx';
import { SiteGitChanges } from './site-git-changes.tsx';
import { gitLinkQuery } from './site-queries.ts';

export function SiteGit({ site, isStage = false }: { site: Site; isStage?: boolean }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  return (
    <div className="grid max-w-3xl gap-6">
      {site.busy !== 'git_sync' && <BlockedNote reason={obstacle} />}
      {site.git_url === null ? (
        <NewLink site={site} disabled={obstacle !== undefined} />
      ) : (
        <Linked site={site} disabled={obstacle !== undefined} isStage={isStage} />
      )}
      <SiteDeploys site={site} isStage={isStage} />
    </div>
  );
}

type GitProps = { site: Site; disabled: boolean };

function NewLink({ site, disabled }: GitProps) {
  return (
    <Section
      title="Git repository"
      description="Its plugins/, themes/, mu-plugins/ and languages/ become those of the site, now and with each push. Everything else on the site stays as it is, and a deploy that breaks its pages is rolled back."
    >
      <LinkForm site={site} disabled={disabled} label="Link and sync" />
    </Section>
  );
}

function LinkForm({ site, disabled, label }: GitProps & { label: string }) {
  const change = useSiteChange(site);
  const queryClient = useQueryClient();
  async function submit({ git_url }: { git_url: string }) {
    await change({ git_url: git_url.trim() });
    await queryClient.invalidateQueries({ queryKey: ['git-link', site.fqdn] });
  }
  return (
    <Form submit={submit}>
      <Field
        name="git_url"
        label="Address of the repository"
        disabled={disabled}
        hint={
          <>
            https or ssh. For a private one,{' '}
            <Link to="/developers/$page" params={{ page: 'git' }} className="underline underline-offset-4">
              link your Git account
            </Link>{' '}
            first.
          </>
        }
      >
        <Input required defaultValue={site.git_url ?? ''} placeholder="https://github.com/acme/site.git" />
      </Field>
      <div>
        <ConfirmedOnly>
          <SubmitButton disabled={disabled}>{label}</SubmitButton>
        </ConfirmedOnly>
      </div>
    </Form>
  );
}

function Linked({ site, disabled, isStage }: GitProps & { isStage: boolean }) {
  const query = useQuery(gitLinkQuery(site.fqdn, isStage));
  const mayCommit = atLeast(site.team.role, 'member');
  return (
    <Loaded query={query}>
      {(link) => (
        <>
          {isStage ? (
            <StageRepository site={site} link={link} disabled={disabled} />
          ) : (
            <Repository site={site} link={link} disabled={disabled} />
          )}
          {mayCommit && <SiteGitChanges site={site} disabled={disabled} isStage={isStage} />}
          {!isStage && link.hook_url !== '' && <Hook site={site} link={link} disabled={disabled} />}
        </>
      )}
    </Loaded>
  );
}

function Repository({ site, link, disabled }: GitProps & { link: GitLink }) {
  const change = useSiteChange(site);
  async function unlink() {
    await change({ git_url: null });
    toast.success('The repository is unlinked.');
  }
  return (
    <Section
      title="Git repository"
      description="Every push is deployed: at once where your Git host calls the address below, within minutes otherwise."
      action={
        <div className="flex flex-wrap gap-2">
          <SyncButton site={site} disabled={disabled} />
          <ConfirmAction
            trigger={
              <Button variant="secondary" disabled={disabled}>
                <TrashIcon /> Unlink
              </Button>
            }
            title="Unlink the repository?"
            action="Unlink"
            onConfirm={unlink}
          >
            The site keeps all its files. Pushes no longer change it.
          </ConfirmAction>
        </div>
      }
    >
      <div className="grid gap-5">
        {link.problem && <Alert tone="danger">{link.problem}</Alert>}
        <LinkFacts link={link} />
        {link.is_account_missing && <LinkForm site={site} disabled={disabled} label="Link again" />}
      </div>
    </Section>
  );
}

function LinkFacts({ link }: { link: GitLink }) {
  return (
    <Definitions
      rows={[
        [
          'Repository',
          <span key="url" className="break-all">
            {link.git_url}
          </span>,
        ],
        ['Branch', link.branch ?? 'The default of the repository'],
        ['Commit', link.last_sync_hash ? <CommitHash key="hash" hash={link.last_sync_hash} /> : 'None yet'],
        ['Opened with', link.account ?? (link.is_account_missing ? 'An account that is gone' : 'No account')],
      ]}
    />
  );
}

function StageRepository({ site, link, disabled }: GitProps & { link: GitLink }) {
  return (
    <Section
      title="Git repository"
      description={`The staging site follows the branch ${link.branch}. The repository itself is chosen for the live site.`}
      action={<SyncButton site={site} disabled={disabled} isStage />}
    >
      <div className="grid gap-5">
        {link.problem && <Alert tone="danger">{link.problem}</Alert>}
        <LinkFacts link={link} />
      </div>
    </Section>
  );
}

function SyncButton({ site, disabled, isStage = false }: GitProps & { isStage?: boolean }) {
  const queryClient = useQueryClient();
  const sync = useMutation({
    mutationFn: () => api.syncGit({ params: { fqdn: site.fqdn }, query: { stage: isStage } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <Button variant="secondary" disabled={disabled} pending={sync.isPending} onClick={() => sync.mutate()}>
      <ReopenIcon /> Sync now
    </Button>
  );
}

function Hook({ site, link, disabled }: GitProps & { link: GitLink }) {
  const queryClient = useQueryClient();
  async function renew() {
    const renewed = await api.renewGitHookSecret({ params: { fqdn: site.fqdn } });
    queryClient.setQueryData(gitLinkQuery(site.fqdn, false).queryKey, renewed);
    toast.success('The secret was renewed. Give the new one to your Git host.');
  }
  return (
    <Section
      title="Address for pushes"
      description="Add it as a webhook for pushes at GitHub, GitLab or Gitea, with the secret. Whoever knows the secret can have the site synced, and nothing else."
      action={
        <ConfirmAction
          trigger={
            <Button variant="secondary" disabled={disabled}>
              <KeyIcon /> Renew secret
            </Button>
          }
          title="Renew the secret?"
          action="Renew secret"
          onConfirm={renew}
        >
          Pushes that are signed with the present one are refused at once, until your Git host has the new one.
        </ConfirmAction>
      }
    >
      <div className="grid gap-3">
        <div className="grid gap-1.5">
          <p className="text-muted text-xs">Address</p>
          <CopyLine text={link.hook_url} label="Copy the address for pushes" />
        </div>
        <div className="grid gap-1.5">
          <p className="text-muted text-xs">Secret, at GitLab the secret token</p>
          <CopyLine text={link.hook_secret} label="Copy the secret" />
        </div>
      </div>
    </Section>
  );
}
