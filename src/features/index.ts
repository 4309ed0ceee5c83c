import type { Operation } from '#core/http/operation.ts';
import type { JobKind } from '#core/jobs/jobs.ts';
import { mailLink } from './account/account.jobs.ts';
import { accountOperations } from './account/account.routes.ts';
import { applicationPasswordOperations } from './application-password/application-password.routes.ts';
import { checkBackups, pruneBackups } from './backup/backup.jobs.ts';
import { backupOperations } from './backup/backup.routes.ts';
import { blobOperations } from './backup/blob.routes.ts';
import { followUsage, rereadPayments, syncCustomerJob } from './billing/billing.jobs.ts';
import { mailBilling } from './billing/billing.mail.ts';
import { billingOperations } from './billing/billing.routes.ts';
import { credentialOperations } from './credential/credential.routes.ts';
import { lookAtZones } from './domain/domain.jobs.ts';
import { domainOperations } from './domain/domain.routes.ts';
import { eventOperations } from './event/event.routes.ts';
import { externalPathOperations } from './external-path/external-path.routes.ts';
import { frontEndOperations } from './front-end/front-end.routes.ts';
import { gitAccountOperations } from './git-account/git-account.routes.ts';
import { gitSyncOperations } from './git-sync/git-sync.routes.ts';
import { mailInvite } from './invite/invite.jobs.ts';
import { inviteOperations } from './invite/invite.routes.ts';
import { housekeeping } from './job/job.jobs.ts';
import { jobOperations } from './job/job.routes.ts';
import { resealSecrets } from './key-rotation/key-rotation.jobs.ts';
import { metricsSignInOperations } from './metrics-sign-in/metrics-sign-in.routes.ts';
import { restoreToPoint } from './pit-restore/pit-restore.jobs.ts';
import { pitRestoreOperations } from './pit-restore/pit-restore.routes.ts';
import { rehearseRestore } from './pit-restore/rehearsal.jobs.ts';
import { planOperations } from './plan/plan.routes.ts';
import { buildPreview, endPreviews } from './preview/preview.jobs.ts';
import { previewOperations } from './preview/preview.routes.ts';
import { proxyOperations } from './proxy/proxy.routes.ts';
import { regionOperations } from './region/region.routes.ts';
import { archiveSite, restoreSite } from './site/deleted-site.jobs.ts';
import { deletedSiteOperations } from './site/deleted-site.routes.ts';
import { leaveNameJob, mailNameLost } from './site/name-claim.jobs.ts';
import { createSiteJob, stopSite, updateSiteJob } from './site/site.jobs.ts';
import { siteOperations } from './site/site.routes.ts';
import { deliverSiteMail } from './site/site-mail.jobs.ts';
import { removeBusySite } from './site/site-removal.jobs.ts';
import {
  measureStorage,
  planPurges,
  planSiteWork,
  purgeSite,
  runSiteCron,
  sweepSites,
} from './site/site-upkeep.jobs.ts';
import { siteLogOperations } from './site-log/site-log.routes.ts';
import { teamOperations } from './team/team.routes.ts';
import { testPaymentOperations } from './test-payment/test-payment.routes.ts';
import { attachmentOperations } from './ticket/attachment.routes.ts';
import { mailReply } from './ticket/ticket.jobs.ts';
import { ticketOperations } from './ticket/ticket.routes.ts';
import { mailLimitReached } from './usage/usage.jobs.ts';
import { usageOperations } from './usage/usage.routes.ts';
import { mailSwitchedOff } from './webhook/webhook.jobs.ts';
import { webhookOperations } from './webhook/webhook.routes.ts';

/** Everything the service can be asked to do. */
export const operations: readonly Operation[] = [
  ...credentialOperations,
  ...accountOperations,
  ...teamOperations,
  ...inviteOperations,
  ...siteOperations,
  ...siteLogOperations,
  ...externalPathOperations,
  ...domainOperations,
  ...gitAccountOperations,
  ...gitSyncOperations,
  ...backupOperations,
  ...blobOperations,
  ...pitRestoreOperations,
  ...previewOperations,
  ...deletedSiteOperations,
  ...eventOperations,
  ...ticketOperations,
  ...attachmentOperations,
  ...webhookOperations,
  ...applicationPasswordOperations,
  ...proxyOperations,
  ...planOperations,
  ...billingOperations,
  ...testPaymentOperations,
  ...usageOperations,
  ...regionOperations,
  ...jobOperations,
  ...metricsSignInOperations,
  ...frontEndOperations,
];

/** Everything it does in the background. */
export const jobKinds: readonly JobKind[] = [
  mailLink,
  mailInvite,
  mailReply,
  housekeeping,
  createSiteJob,
  updateSiteJob,
  leaveNameJob,
  mailNameLost,
  stopSite,
  archiveSite,
  restoreSite,
  removeBusySite,
  planSiteWork,
  runSiteCron,
  measureStorage,
  deliverSiteMail,
  planPurges,
  purgeSite,
  sweepSites,
  pruneBackups,
  checkBackups,
  restoreToPoint,
  rehearseRestore,
  buildPreview,
  endPreviews,
  lookAtZones,
  mailSwitchedOff,
  resealSecrets,
  syncCustomerJob,
  followUsage,
  rereadPayments,
  mailBilling,
  mailLimitReached,
] as readonly JobKind[];

/** What runs by the clock, as cron lines. */
export const schedules: Record<string, string> = {
  [housekeeping.name]: '17 * * * *',
  [planSiteWork.name]: '* * * * *',
  [planPurges.name]: '29 * * * *',
  [sweepSites.name]: '41 * * * *',
  [pruneBackups.name]: '13 3 * * *',
  [checkBackups.name]: '23 4 * * 0',
  [endPreviews.name]: '* * * * *',
  [lookAtZones.name]: '* * * * *',
  [followUsage.name]: '* * * * *',
  [rereadPayments.name]: '37 * * * *',
};
