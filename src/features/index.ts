import { accountFeature } from './account/account.feature.ts';
import { accountSecurityFeature } from './account-security/account-security.feature.ts';
import { accountViewFeature } from './account-view/account-view.feature.ts';
import { applicationPasswordFeature } from './application-password/application-password.feature.ts';
import { attentionFeature } from './attention/attention.feature.ts';
import { backupFeature } from './backup/backup.feature.ts';
import { backupCheckFeature } from './backup-check/backup-check.feature.ts';
import { backupClockFeature } from './backup-clock/backup-clock.feature.ts';
import { billingFeature } from './billing/billing.feature.ts';
import { breakSearchFeature } from './break-search/break-search.feature.ts';
import { certificateFeature } from './certificate/certificate.feature.ts';
import { clusterFeature } from './cluster/cluster.feature.ts';
import { codeEditorFeature } from './code-editor/code-editor.feature.ts';
import { credentialFeature } from './credential/credential.feature.ts';
import { deletedSiteFeature } from './deleted-site/deleted-site.feature.ts';
import { deviceSignInFeature } from './device-sign-in/device-sign-in.feature.ts';
import { diagnosisFeature } from './diagnosis/diagnosis.feature.ts';
import { domainFeature } from './domain/domain.feature.ts';
import { eventFeature } from './event/event.feature.ts';
import { externalPathFeature } from './external-path/external-path.feature.ts';
import type { Feature } from './feature.ts';
import { frontEndFeature } from './front-end/front-end.feature.ts';
import { gitAccountFeature } from './git-account/git-account.feature.ts';
import { gitSyncFeature } from './git-sync/git-sync.feature.ts';
import { holdFeature } from './hold/hold.feature.ts';
import { instanceFeature } from './instance/instance.feature.ts';
import { inviteFeature } from './invite/invite.feature.ts';
import { jobFeature } from './job/job.feature.ts';
import { keyRotationFeature } from './key-rotation/key-rotation.feature.ts';
import { metricsSignInFeature } from './metrics-sign-in/metrics-sign-in.feature.ts';
import { momentFeature } from './moment/moment.feature.ts';
import { notificationFeature } from './notification/notification.feature.ts';
import { oauthFeature } from './oauth/oauth.feature.ts';
import { overviewFeature } from './overview/overview.feature.ts';
import { pitRestoreFeature } from './pit-restore/pit-restore.feature.ts';
import { planFeature } from './plan/plan.feature.ts';
import { previewFeature } from './preview/preview.feature.ts';
import { proposalFeature } from './proposal/proposal.feature.ts';
import { proxyFeature } from './proxy/proxy.feature.ts';
import { regionFeature } from './region/region.feature.ts';
import { secondFactorFeature } from './second-factor/second-factor.feature.ts';
import { siteFeature } from './site/site.feature.ts';
import { siteDomainFeature } from './site-domain/site-domain.feature.ts';
import { siteFileFeature } from './site-file/site-file.feature.ts';
import { siteLabelFeature } from './site-label/site-label.feature.ts';
import { siteLogFeature } from './site-log/site-log.feature.ts';
import { siteMailFeature } from './site-mail/site-mail.feature.ts';
import { siteNameFeature } from './site-name/site-name.feature.ts';
import { sitePictureFeature } from './site-picture/site-picture.feature.ts';
import { siteShellFeature } from './site-shell/site-shell.feature.ts';
import { siteSoftwareFeature } from './site-software/site-software.feature.ts';
import { siteUpkeepFeature } from './site-upkeep/site-upkeep.feature.ts';
import { siteViewFeature } from './site-view/site-view.feature.ts';
import { sshFeature } from './ssh/ssh.feature.ts';
import { sshKeyFeature } from './ssh-key/ssh-key.feature.ts';
import { stageFeature } from './stage/stage.feature.ts';
import { teamFeature } from './team/team.feature.ts';
import { templateFeature } from './template/template.feature.ts';
import { terminalFeature } from './terminal/terminal.feature.ts';
import { testPaymentFeature } from './test-payment/test-payment.feature.ts';
import { ticketFeature } from './ticket/ticket.feature.ts';
import { usageFeature } from './usage/usage.feature.ts';
import { webhookFeature } from './webhook/webhook.feature.ts';

/** Everything that the platform is made of, in the order of its documents. */
export const features: readonly Feature[] = [
  credentialFeature,
  deviceSignInFeature,
  momentFeature,
  oauthFeature,
  sshKeyFeature,
  accountFeature,
  accountViewFeature,
  accountSecurityFeature,
  notificationFeature,
  secondFactorFeature,
  teamFeature,
  attentionFeature,
  inviteFeature,
  holdFeature,
  instanceFeature,
  siteFeature,
  siteLabelFeature,
  siteViewFeature,
  clusterFeature,
  codeEditorFeature,
  siteNameFeature,
  siteMailFeature,
  siteUpkeepFeature,
  siteLogFeature,
  sitePictureFeature,
  diagnosisFeature,
  terminalFeature,
  siteShellFeature,
  siteSoftwareFeature,
  sshFeature,
  siteFileFeature,
  externalPathFeature,
  domainFeature,
  siteDomainFeature,
  certificateFeature,
  gitAccountFeature,
  gitSyncFeature,
  backupFeature,
  backupClockFeature,
  backupCheckFeature,
  pitRestoreFeature,
  previewFeature,
  breakSearchFeature,
  stageFeature,
  templateFeature,
  deletedSiteFeature,
  eventFeature,
  ticketFeature,
  proposalFeature,
  webhookFeature,
  applicationPasswordFeature,
  proxyFeature,
  planFeature,
  billingFeature,
  testPaymentFeature,
  usageFeature,
  regionFeature,
  jobFeature,
  overviewFeature,
  keyRotationFeature,
  metricsSignInFeature,
  frontEndFeature,
];
