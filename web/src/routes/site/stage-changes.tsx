import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { StageChanges as Changes, Event, Site } from '#sdk';
import { api } from '../../api/client.ts';
import { detailOf, progressOf } from '../../api/events.ts';
import { siteQuery } from '../../api/sites.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { ConfirmAction } from '../../ui/confirm-action.tsx';
import { Disclosure, DisclosureGroup } from '../../ui/disclosure.tsx';
import { formatAmount, formatBytes, formatCount } from '../../ui/format.ts';
import { ReopenIcon, SendIcon, UndoIcon } from '../../ui/icons.ts';
import { RowComparison } from '../../ui/row-comparison.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { Moment } from '../../ui/time.tsx';
import { siteEventsQuery, stageChangesQuery } from './site-queries.ts';

type Side = Changes['summary'][number]['side'];

const sides = {
  stage: { title: 'Comes from staging', label: 'Staging', tone: 'accent' },
  live: { title: 'New on live since, and stays', label: 'Live', tone: 'neutral' },
  both: { title: 'Changed on both', label: 'Both', tone: 'warn' },
} as const;

/** What each side has changed, and the way to bring the one to the other. */
export function StageChanges({ site, disabled }: { site: Site; disabled: boolean }) {
  const query = useInfiniteQuery({ ...stageChangesQuery(site.fqdn), enabled: !disabled });
  const isComparing = query.isFetching && !query.isFetchingNextPage;
  const pages = isComparing ? undefined : query.data?.pages;
  return (
    <Section
      title="Bring changes to live"
      description="What you changed on the staging site comes to the live site. What came to live in the meantime stays: orders, comments, posts."
      action={
        <Button variant="secondary" disabled={disabled || isComparing} onClick={() => void query.refetch()}>
          <ReopenIcon /> Compare again
        </Button>
      }
    >
      <LastCommit site={site} />
      {disabled ? null : (
        <Loaded query={{ ...query, data: pages }} loading={<Comparing />}>
          {([first, ...others]) =>
            first && (
              <Compared
                site={site}
                changes={first}
                tables={[first, ...others].flatMap(({ tables }) => tables)}
                files={[first, ...others].flatMap(({ changed_files }) => changed_files)}
                more={
                  query.hasNextPage && (
                    <Button
                      variant="secondary"
                      className="justify-self-center"
                      pending={query.isFetchingNextPage}
                      onClick={() => void query.fetchNextPage()}
                    >
                      Show more
                    </Button>
                  )
                }
              />
            )
          }
        </Loaded>
      )}
    </Section>
  );
}

function Comparing() {
  return (
    <p role="status" className="flex items-center gap-2.5 py-6 text-muted">
      <Spinner /> Comparing the staging site with live …
    </p>
  );
}

type ComparedProps = {
  site: Site;
  changes: Changes;
  tables: Changes['tables'];
  files: Changes['changed_files'];
  more: ReactNode;
};

function Compared({ site, changes, tables, files, more }: ComparedProps) {
  const { rows, files: fileCounts, summary } = changes;
  const hasBoth = rows.both + fileCounts.both > 0;
  const isEmpty =
    rows.stage + rows.both + fileCounts.stage + fileCounts.both === 0 && !tables.some(({ stage }) => stage);
  const problems = tables.filter(({ problem }) => problem !== null).map(({ name }) => name);
  return (
    <div className="grid grid-cols-1 gap-5">
      {(['stage', 'both', 'live'] as const).map((side) => (
        <Summary key={side} side={side} lines={summary.filter((line) => line.side === side)} />
      ))}
      {tables.length + files.length > 0 && (
        <details>
          <summary className="cursor-pointer text-muted text-sm">
            Every table and file ({formatCount(changes.count)})
          </summary>
          <div className="mt-3 grid grid-cols-1 gap-4">
            <Details tables={tables} files={files} />
            {more}
          </div>
        </details>
      )}
      {isEmpty ? (
        <p className="text-muted">Nothing was changed on the staging site, so there is nothing to bring to live.</p>
      ) : (
        <Commit site={site} plan={changes.plan} hasBoth={hasBoth} problems={problems} />
      )}
    </div>
  );
}

function Summary({ side, lines }: { side: Side; lines: Changes['summary'] }) {
  if (lines.length === 0) return null;
  const { title, label, tone } = sides[side];
  return (
    <section aria-label={title}>
      <h3 className="mb-2 flex items-center gap-2 font-medium text-sm">
        {title} <Badge tone={tone}>{label}</Badge>
      </h3>
      <ul className="grid gap-1 text-sm">
        {lines.map(({ text, titles, count }) => (
          <li key={text} className="flex flex-wrap gap-x-2">
            <span>{text}</span>
            {count > 1 && titles.length > 0 && (
              <span className="min-w-0 truncate text-muted">
                {titles.join(', ')}
                {count > titles.length && ' …'}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const problemWords = {
  gone: 'It was removed on one side and changed on the other.',
  made: 'It was rebuilt on both sides, in different ways.',
  keyless: 'Its rows have no key that tells them apart.',
  large: 'Too much of it differs to be merged.',
  unread: 'A backup could not store it.',
};

function Details({ tables, files }: Pick<ComparedProps, 'tables' | 'files'>) {
  return (
    <>
      {tables.length > 0 && (
        <DisclosureGroup title={formatAmount(tables.length, 'table')}>
          {tables.map((table) => (
            <Disclosure
              key={table.name}
              name={table.name}
              amount={amountOf(table.counts)}
              {...sides[sideOf(table.counts)]}
            >
              <TableRows table={table} />
            </Disclosure>
          ))}
        </DisclosureGroup>
      )}
      {files.length > 0 && (
        <section className="min-w-0 overflow-hidden rounded-lg border border-line">
          <h4 className="border-line border-b bg-raised/60 px-4 py-2 font-medium text-muted text-xs">
            {formatAmount(files.length, 'file')}
          </h4>
          <ul className="divide-y divide-line">
            {files.map(({ path, side, stage, live, size }) => (
              <li key={path} className="flex items-center gap-3 px-4 py-2.5">
                <span className="min-w-0 flex-1 break-all font-mono text-xs">{path}</span>
                <span className="text-right text-muted text-xs tabular-nums max-sm:sr-only">
                  {stage ?? live}, {formatBytes(size)}
                </span>
                <Badge tone={sides[side].tone}>{sides[side].label}</Badge>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const sideOf = ({ both, stage }: Changes['rows']): Side => (both > 0 ? 'both' : stage > 0 ? 'stage' : 'live');

function amountOf({ stage, live, both }: Changes['rows']): string {
  const parts = [
    stage && `${formatCount(stage)} staging`,
    live && `${formatCount(live)} live`,
    both && `${formatCount(both)} both`,
  ];
  return parts.filter(Boolean).join(', ');
}

function TableRows({ table: { problem, stage, live, sample } }: { table: Changes['tables'][number] }) {
  if (problem !== null) return <p className="text-muted">{problemWords[problem]}</p>;
  if (stage !== null) return <p className="text-muted">The staging site has {stage} this table.</p>;
  if (live !== null) return <p className="text-muted">Live has {live} this table since.</p>;
  if (sample.length === 0) return <p className="text-muted">The rows themselves are not shown.</p>;
  return (
    <div className="grid grid-cols-1 gap-4">
      {sample.map((row) => (
        <RowComparison
          key={JSON.stringify(row)}
          name={sides[row.side].label}
          left={{ label: 'Live', row: row.live }}
          right={{ label: 'Staging', row: row.stage }}
        />
      ))}
    </div>
  );
}

type CommitProps = { site: Site; plan: string; hasBoth: boolean; problems: string[] };

function Commit({ site, plan, hasBoth, problems }: CommitProps) {
  const queryClient = useQueryClient();
  const [winner, setWinner] = useState<'stage' | 'live'>();
  async function commit() {
    // What can not be merged stays as the site has it; by the API it can be chosen.
    await api.commitStage({
      params: { fqdn: site.fqdn },
      body: { plan, keep_tables: problems, ...(winner && { on_conflict: winner }) },
    });
    queryClient.removeQueries({ queryKey: stageChangesQuery(site.fqdn).queryKey });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
  }
  return (
    <div className="grid gap-4">
      {problems.length > 0 && (
        <Alert tone="warn">These tables cannot be merged and stay as they are on live: {problems.join(', ')}.</Alert>
      )}
      {hasBoth && (
        <div className="grid justify-items-start gap-1.5">
          <span className="font-medium text-sm">Both sides changed the same. Choose the version to take:</span>
          <Segmented
            label="Version to take where both sides changed the same"
            value={winner}
            onChange={(value) => setWinner(value === 'live' ? 'live' : 'stage')}
            options={[
              { value: 'stage', label: 'The staging version' },
              { value: 'live', label: 'The live version' },
            ]}
          />
        </div>
      )}
      <div>
        <ConfirmAction
          trigger={
            <Button disabled={hasBoth && winner === undefined}>
              <SendIcon /> Bring to live
            </Button>
          }
          title={`Bring the changes to ${site.fqdn}?`}
          action="Bring to live"
          isHarmless
          onConfirm={commit}
        >
          Your visitors see the result at once, and wait a few seconds while it happens. What came to live in the
          meantime stays. The site is backed up first, so you can undo this.
        </ConfirmAction>
      </div>
    </div>
  );
}

const turns = new Set(['stage.committed', 'stage.refreshed', 'stage.created', 'restore.started']);

/** What came of the last time, and the way back. */
function LastCommit({ site }: { site: Site }) {
  const { data } = useInfiniteQuery(siteEventsQuery(site.fqdn));
  // What was undone, or is long past, is no news.
  const event = data?.pages[0]?.results.find(({ event_type }) => turns.has(event_type));
  if (event?.event_type !== 'stage.committed') return null;
  return (
    <div role="status" className="mb-5">
      <Outcome site={site} event={event} />
    </div>
  );
}

function Outcome({ site, event }: { site: Site; event: Event }) {
  const { failure, result } = detailOf(event);
  if (event.finished_at === null) {
    const { step } = progressOf(event) ?? {};
    return (
      <p className="flex items-center gap-2.5 text-muted">
        <Spinner /> Bringing the changes to live{step && ` (${step})`} …
      </p>
    );
  }
  if (failure) return <Alert tone="danger">{failure}</Alert>;
  const restore_point = result?.undo_point;
  if (restore_point === undefined) return null;
  return (
    <Alert tone="success" action={<UndoCommit site={site} restore_point={restore_point} />}>
      The changes are live.
    </Alert>
  );
}

function UndoCommit({ site, restore_point }: { site: Site; restore_point: string }) {
  const queryClient = useQueryClient();
  async function undo() {
    await api.createPitRestore({ params: { fqdn: site.fqdn }, body: { restore_point, delete_extra_files: true } });
    queryClient.removeQueries({ queryKey: stageChangesQuery(site.fqdn).queryKey });
    await queryClient.invalidateQueries({ queryKey: siteQuery(site.fqdn).queryKey });
  }
  return (
    <ConfirmAction
      title="Undo this publish?"
      action="Undo publish"
      onConfirm={undo}
      trigger={
        <Button variant="secondary" size="sm" disabled={site.busy !== null}>
          <UndoIcon /> Undo publish
        </Button>
      }
    >
      {site.fqdn} goes back to <Moment iso={restore_point} />, right before the changes came to it. Changes since then
      are replaced; they stay in a backup, so you can undo this too.
    </ConfirmAction>
  );
}
