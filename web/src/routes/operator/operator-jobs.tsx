import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import type { FailedJob } from '#sdk';
import { api } from '../../api/client.ts';
import { Listing } from '../../layout/listing.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { Empty } from '../../ui/empty.tsx';
import { keepPlace } from '../../ui/focus.ts';
import { messageOf } from '../../ui/form.tsx';
import { JobsIcon, ReopenIcon } from '../../ui/icons.ts';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { failedJobsQuery } from './operator-queries.ts';

export function OperatorJobs() {
  const [page, setPage] = useState(1);
  const query = useQuery(failedJobsQuery(page));
  return (
    <Section title="Failed jobs" description="Background work that gave up after its retries." flush>
      <Listing
        query={query}
        onPage={setPage}
        empty={
          <Empty icon={<JobsIcon />} title="Nothing has failed">
            Work that cannot be finished shows up here, to be run again.
          </Empty>
        }
      >
        {(jobs) => (
          <ul className="divide-y divide-line">
            {jobs.map((job) => (
              <JobRow key={job.id} job={job} />
            ))}
          </ul>
        )}
      </Listing>
    </Section>
  );
}

function JobRow({ job }: { job: FailedJob }) {
  const queryClient = useQueryClient();
  const retry = useMutation({
    mutationFn: () => api.retryJob({ params: { job_id: job.id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['jobs'] });
      toast.success('The job runs again.');
      keepPlace();
    },
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-5 py-4">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{job.kind}</p>
        <p className="text-muted text-xs leading-5">
          {job.queue} · <Time iso={job.created_at} />
          <JobLinks payload={job.payload} />
        </p>
        {job.error && (
          <pre className="mt-2 whitespace-pre-wrap rounded-lg bg-raised px-3 py-2 font-mono text-xs">{job.error}</pre>
        )}
      </div>
      <Button variant="secondary" size="sm" pending={retry.isPending} onClick={() => retry.mutate()}>
        <ReopenIcon /> Retry
      </Button>
    </li>
  );
}

/** Whom and what the work is about, as far as its payload names them. */
function JobLinks({ payload: { siteId, teamId, userId } }: { payload: FailedJob['payload'] }) {
  const links: (LinkProps & { label: string })[] = [];
  if (typeof siteId === 'string') links.push({ label: 'Site', to: '/operator/sites/$siteId', params: { siteId } });
  if (typeof teamId === 'string') links.push({ label: 'Team', to: '/operator/teams/$teamId', params: { teamId } });
  if (typeof userId === 'string') links.push({ label: 'Person', to: '/operator/people/$userId', params: { userId } });
  return links.map(({ label, ...to }) => (
    <Fragment key={label}>
      {' · '}
      <Link {...to} className="rounded text-accent-text underline-offset-4 hover:underline">
        {label}
      </Link>
    </Fragment>
  ));
}
