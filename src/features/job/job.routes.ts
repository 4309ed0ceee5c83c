import { Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, Nullable, OpenObject, PageOf, PageQuery, Timestamp, Uuid } from '#core/http/schema.ts';
import { operator } from '#core/policy.ts';
import { listFailedJobs, takeFailedJob } from './job.sql.ts';

const FailedJob = Type.Object(
  {
    id: Uuid,
    queue: Type.String(),
    kind: Type.String(),
    payload: OpenObject,
    error: Nullable(Type.String()),
    created_at: Timestamp,
  },
  { title: 'FailedJob' },
);

const jobNotFound = failure('job.not_found', 404, 'There is no such failed job.');

export const jobOperations = [
  operation({
    id: 'listFailedJobs',
    method: 'GET',
    path: '/operator/job',
    tag: 'operators',
    summary: 'Background jobs that failed for good',
    access: operator,
    query: Type.Object(PageQuery),
    response: PageOf(FailedJob),
    async handle({ db, query, page }) {
      const { count, rows } = await listFailedJobs(db, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'retryJob',
    method: 'POST',
    path: '/operator/job/{job_id}/retry',
    tag: 'operators',
    summary: 'Try a failed job again, with all its retries',
    access: operator,
    params: Type.Object({ job_id: Uuid }),
    response: Empty,
    errors: [jobNotFound],
    async handle({ db, services, params }) {
      const job = await takeFailedJob(db, params.job_id);
      if (!job) throw jobNotFound();
      await services.jobs.revive(db, job);
      return {};
    },
  }),
];
