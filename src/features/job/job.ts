/** Background work, as other features see it. */
export { countFailedJobs } from './job.sql.ts';
