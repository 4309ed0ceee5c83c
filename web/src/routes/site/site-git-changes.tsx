import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Event, GitChanges, GitCommit, GitLink, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { detailOf } from '../../api/events.ts';
import { siteQuery } from '../../api/sites.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CheckboxGroup } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { formatAmount, formatBytes, formatCount } from '../../ui/format.ts';
import { ReopenIcon, SendIcon } from '../../ui/icons.ts';
import { Input, Textarea } from '../../ui/input.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { useQuestion } from '../../ui/use-question.tsx';
import { CommitHash } from './site-deploys.tsx';
import { deploysQuery, gitChangesQuery, gitLinkQuery } from './site-queries.ts';

type SiteGitChangesProps = { site: Site; disabled: boolean; isStage: boolean };

/** What the site has changed since the last sync, and the way to bring it to the repository. */
export function SiteGitChanges({ site, disabled, isStage }: SiteGitChangesProps) {
  const link = useQuery(gitLinkQuery(site.fqdn, isStage)).data;
  const query = useQuery({
    ...gitChangesQuery(site.fqdn, isStage),
    enabled: !disabled && link?.last_sync_hash != null,
  });
  const isComparing = query.isFetching;
  return (
    <Section
      title="Changed on the site"
      description="What was changed here since the last sync, such as a plugin that was updated in WordPress. Unless it is committed, the next sync takes it back."
      action={
        <Button variant="secondary" disabled={disabled || isComparing} onClick={() => void query.refetch()}>
          <ReopenIcon /> Look again
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-5">
        <LastCommit site={site} isStage={isStage} />
        {!disabled && link && link.last_sync_hash !== null && (
          <Loaded query={{ ...query, data: isComparing ? undefined : query.data }} loading={<Comparing />}>
            {(changes) => <Compared key={changes.point} site={site} link={link} changes={changes} isStage={isStage} />}
          </Loaded>
        )}
      </div>
    </Section>
  );
}

function Comparing() {
  return (
    <p role="status" className="flex items-center gap-2.5 py-2 text-muted">
      <Spinner /> Comparing the site with its last sync …
    </p>
  );
}

type ComparedProps = { site: Site; link: GitLink; changes: GitChanges; isStage: boolean };

function Compared({ changes, ...props }: ComparedProps) {
  const { folders } = changes;
  const isUnchanged = folders.every(({ is_new }) => is_new);
  return (
    <>
      {isUnchanged && <p className="text-muted">No file of the repository was changed on the site.</p>}
      {folders.length > 0 &&
        (props.link.account === null ? (
          <>
            <p className="text-muted">
              To commit, link a Git account that may push, and then link the repository again with it.
            </p>
            <Lists changes={changes} />
          </>
        ) : (
          <CommitForm changes={changes} {...props}>
            <Lists changes={changes} />
          </CommitForm>
        ))}
    </>
  );
}

function Lists({ changes }: Pick<ComparedProps, 'changes'>) {
  const { files, is_truncated, left_out, left_out_count, added, changed, deleted } = changes;
  return (
    <div className="grid grid-cols-1 gap-3">
      {files.length > 0 && (
        <Listed label={`Every file (${formatCount(added + changed + deleted)})`}>
          {files.map(({ path, change, size }) => (
            <li key={path} className="flex items-center gap-3 px-4 py-2">
              <span className="min-w-0 flex-1 break-all font-mono text-xs">{path}</span>
              {change !== 'deleted' && (
                <span className="text-muted text-xs tabular-nums max-sm:sr-only">{formatBytes(size)}</span>
              )}
              <Badge tone={change === 'deleted' ? 'danger' : change === 'added' ? 'accent' : 'neutral'}>{change}</Badge>
            </li>
          ))}
          {is_truncated && <li className="px-4 py-2 text-muted text-xs">And more.</li>}
        </Listed>
      )}
      {left_out_count > 0 && (
        <Listed label={`Never committed (${formatCount(left_out_count)})`}>
          {left_out.map(({ path, reason }) => (
            <li key={path} className="flex flex-wrap items-center gap-x-3 px-4 py-2">
              <span className="min-w-0 flex-1 break-all font-mono text-xs">{path}</span>
              <span className="text-muted text-xs">{reasons[reason]}</span>
            </li>
          ))}
        </Listed>
      )}
    </div>
  );
}

const reasons = {
  link: 'a link',
  secret: 'may hold secrets',
  name: 'a name that Git does not take',
  ignored: 'in .gitignore',
  unexported: 'export-ignore',
  unread: 'could not be read',
};

function Listed({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded text-muted text-sm">{label}</summary>
      <ul className="mt-2 max-h-96 divide-y divide-line overflow-y-auto rounded-lg border border-line">{children}</ul>
    </details>
  );
}

type Values = { paths: string[]; branch: string; message: string };

function CommitForm({ site, link, changes, isStage, children }: ComparedProps & { children: ReactNode }) {
  const queryClient = useQueryClient();
  const known = changes.folders.filter(({ is_new }) => !is_new).map(({ path }) => path);
  const { ask, question } = useQuestion();
  async function submit({ paths, branch, message }: Values) {
    const isSure = await ask({
      title: `Commit and push to ${branch.trim()}?`,
      text: `${formatAmount(paths.length, 'folder')} of the site become one commit in the repository. Whatever follows that branch gets it.`,
      action: 'Commit and push',
    });
    if (!isSure) return;
    await api.commitGitChanges({
      params: { fqdn: site.fqdn },
      query: { stage: isStage },
      body: { branch: branch.trim(), message, paths },
    });
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey }),
      queryClient.invalidateQueries({ queryKey: deploysQuery(site.fqdn).queryKey }),
    ]);
  }
  return (
    <Form<Values> submit={submit}>
      <CheckboxGroup
        name="paths"
        legend="What to commit"
        hint="Folders that are new to the repository are Git’s from then on: later syncs reset them to what Git has."
        defaultValue={known}
        options={changes.folders.map((folder) => ({ value: folder.path, label: folder.path, hint: hintOf(folder) }))}
        className="sm:grid-cols-2"
      />
      {children}
      <div className="grid gap-5 sm:grid-cols-2">
        <Field name="branch" label="Branch" hint="Created if it does not exist.">
          <Input required defaultValue={link.branch ?? ''} maxLength={250} spellcheck={false} autoCapitalize="none" />
        </Field>
      </div>
      <Field name="message" label="Message">
        <Textarea required rows={2} maxLength={5000} placeholder="Update the plugins" className="min-h-16" />
      </Field>
      <div>
        <ConfirmedOnly>
          <SubmitButton>
            <SendIcon /> Commit and push
          </SubmitButton>
        </ConfirmedOnly>
      </div>
      {question}
    </Form>
  );
}

function hintOf({ is_new, added, changed, deleted, size }: GitChanges['folders'][number]): string {
  if (is_new) return `Not in the repository: ${formatAmount(added, 'file')}, ${formatBytes(size)}`;
  const parts = [changed && `${changed} changed`, added && `${added} added`, deleted && `${deleted} deleted`];
  return parts.filter(Boolean).join(', ');
}

const turns = new Set(['git.committed', 'git.synced']);

/** What came of the last commit, for as long as no sync came after it. */
function LastCommit({ site, isStage }: { site: Site; isStage: boolean }) {
  const events = useQuery(deploysQuery(site.fqdn)).data?.results ?? [];
  const scope = isStage ? 'stage' : 'site';
  const event = events.find((each) => turns.has(each.event_type) && each.scope === scope);
  if (event?.event_type !== 'git.committed') return null;
  return (
    <div role="status">
      <Outcome event={event} />
    </div>
  );
}

function Outcome({ event }: { event: Event }) {
  const { step, failure } = detailOf(event);
  if (event.finished_at === null)
    return (
      <p className="flex items-center gap-2.5 text-muted">
        <Spinner /> Committing{step && ` (${step})`} …
      </p>
    );
  if (failure) return <Alert tone="danger">{failure}</Alert>;
  const { hash, url, branch, added, changed, deleted, is_synced } = event.detail.result as GitCommit;
  if (hash === null) return null;
  return (
    <Alert
      tone="success"
      action={
        url && (
          <a href={url} target="_blank" rel="noreferrer" className="rounded underline underline-offset-4">
            Open the commit
          </a>
        )
      }
    >
      <span className="break-words">
        Committed as <CommitHash hash={hash} /> to {branch}: {changed} changed, {added} added, {deleted} deleted.
        {!is_synced && ' The site still follows the commit that it has.'}
      </span>
    </Alert>
  );
}
