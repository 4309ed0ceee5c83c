import { CALLERS, type CallerName } from './world.ts';

/**
 * Who gets which status from each operation, written by hand from service.md and from decisions 3 and 4, never from the
 * code. The request is valid and names things of the team Home; `stranger` owns another team, `removed` was a member,
 * `expired` is the owner with a token past its time; `writer`, `reader` and `planner` are the owner with API tokens of all
 * scopes, of read and of plan. A row `operation/variant` is the same operation on something else.
 */
const STATUSES = `
                                  nobody  stranger  viewer  member  admin  owner  removed  expired  writer  reader  planner  operator
signIn                               200       200     200     200    200    200      200      200     200     200      200       200
signOut                              200       200     200     200    200    200      200      200     200     200      200       200
introspectToken                      401       200     200     200    200    200      200      401     200     200      200       200
listApiTokens                        401       200     200     200    200    200      200      401     200     200      200       200
createApiToken                       401       200     200     200    200    200      200      401     403     403      403       200
createApiToken/for the team alone    401       422     200     200    200    200      422      401     403     403      403       422
deleteApiToken                       401       200     200     200    200    200      200      401     403     403      403       200

register                             200       200     200     200    200    200      200      200     200     200      200       200
verifyEmail                          401       200     200     200    200    200      200      401     200     403      403       200
verifyEmail/link                     200       200     200     200    200    200      200      200     200     200      200       200
resetPassword                        200       200     200     200    200    200      200      200     200     200      200       200
resetPassword/link                   200       200     200     200    200    200      200      200     200     200      200       200
getMe                                401       200     200     200    200    200      200      401     200     200      200       200
updateMe                             401       200     200     200    200    200      200      401     403     403      403       200

listTeams                            401       200     200     200    200    200      200      401     200     200      200       200
getTeam                              401       404     200     200    200    200      404      401     200     200      200       404
updateTeam                           401       404     403     403    403    200      404      401     200     403      403       404
listTeamEvents                       401       404     200     200    200    200      404      401     200     200      200       404
listMembers                          401       404     200     200    200    200      404      401     200     200      200       404
getMember                            401       404     200     200    200    200      404      401     200     200      200       404
removeMember                         401       404     403     403    403    200      404      401     200     403      403       404
removeMember/self                    401       404     200     200    200    409      404      401     409     403      403       404

listInvites                          401       404     403     403    403    200      404      401     200     200      200       404
createInvite                         401       404     403     403    403    200      404      401     200     403      403       404
deleteInvite                         401       404     403     403    403    200      404      401     200     403      403       404
getInvite                            401       404     403     403    403    200      404      401     200     200      200       404
inspectInvite                        200       200     200     200    200    200      200      200     200     200      200       200
acceptInvite                         401       200     200     200    200    200      200      401     200     403      403       200
acceptInvite/of somebody else        401       403     403     403    403    403      403      401     403     403      403       403

listEvents                           401       200     200     200    200    200      200      401     200     200      200       200
streamEvents                         401       200     200     200    200    200      200      401     200     200      200       200
getEvent                             401       404     200     200    200    200      404      401     200     200      200       404
getEvent/of the account              401       404     404     404    404    200      404      401     200     200      200       404
readEvents                           401       404     200     200    200    200      404      401     200     403      403       404

listSites                            401       200     200     200    200    200      200      401     200     200      200       200
listSites/of the team                401       404     200     200    200    200      404      401     200     200      200       404
createSite                           401       404     403     200    200    200      404      401     200     403      403       404
getSite                              401       404     200     200    200    200      404      401     200     200      200       404
updateSite                           401       404     403     200    200    200      404      401     200     403      403       404
updateSite/to another team           401       404     403     403    200    200      404      401     200     403      403       404
deleteSite                           401       404     403     403    200    200      404      401     200     403      403       404
deleteSite/created by the caller     401       404     403     200    200    200      404      401     200     403      403       404
sleepSite                            401       404     403     200    200    200      404      401     200     403      403       404
listSiteEvents                       401       404     200     200    200    200      404      401     200     200      200       404
getSiteCdn                           401       404     200     200    200    200      404      401     200     200      200       404
getSiteUsage                         401       404     200     200    200    200      404      401     200     200      200       404
createSiteLogin                      401       404     403     200    200    200      404      401     200     403      403       404
listExternalPaths                    401       404     200     200    200    200      404      401     200     200      200       404
createExternalPath                   401       404     403     200    200    200      404      401     200     403      403       404
getExternalPath                      401       404     200     200    200    200      404      401     200     200      200       404
updateExternalPath                   401       404     403     200    200    200      404      401     200     403      403       404
deleteExternalPath                   401       404     403     200    200    200      404      401     200     403      403       404

getBackups                           401       404     200     200    200    200      404      401     200     200      200       404
listPitFiles                         401       404     200     200    200    200      404      401     200     200      200       404
createBlobUrls                       401       404     403     200    200    200      404      401     200     403      403       404
getBlob                              200       200     200     200    200    200      200      200     200     200      200       200
listPitRestores                      401       404     200     200    200    200      404      401     200     200      200       404
createPitRestore                     401       404     403     200    200    200      404      401     200     403      403       404
createPitRestore/dry run             401       404     403     200    200    200      404      401     200     403      200       404
previewPitRestore                    401       404     403     200    200    200      404      401     200     403      200       404
getPitRestore                        401       404     200     200    200    200      404      401     200     200      200       404
getPreview                           401       404     200     200    200    200      404      401     200     200      200       404

verifyDomain                         401       200     200     200    200    200      200      401     200     200      200       200
getDomainClaim                       401       404     403     200    200    200      404      401     200     200      200       404
listGitAccounts                      401       200     200     200    200    200      200      401     200     200      200       200
createGitAccount                     401       200     200     200    200    200      200      401     200     403      403       200
deleteGitAccount                     401       200     200     200    200    200      200      401     200     403      403       200
listGitSyncRepositories              401       200     200     200    200    200      200      401     200     200      200       200
verifyGitSyncDirectories             401       200     200     200    200    200      200      401     200     200      200       200

listApplicationPasswords             401       404     200     200    200    200      404      401     200     200      200       404
createApplicationPassword            401       404     403     200    200    200      404      401     200     403      403       404
updateApplicationPassword            401       404     403     200    200    200      404      401     200     403      403       404
updateApplicationPassword/of the team 401       404     403     200    200    200      404      401     200     403      403       404
deleteApplicationPassword            401       404     403     200    200    200      404      401     200     403      403       404
deleteApplicationPassword/of the team 401       404     403     200    200    200      404      401     200     403      403       404
cmsProxy                             401       404     200     200    200    200      404      401     200     200      200       404
cmsProxy/that writes                 401       404     403     200    200    200      404      401     200     403      403       404
cmsProxy/for the team                401       404     200     200    200    200      404      401     200     200      200       404
storefrontProxy                      401       404     200     200    200    200      404      401     200     200      200       404
storefrontProxy/that writes          401       404     403     200    200    200      404      401     200     403      403       404
storefrontProxy/for the team         401       404     200     200    200    200      404      401     200     200      200       404
analyticsProxy                       401       404     200     200    200    200      404      401     200     200      200       404
analyticsProxy/that writes           401       404     403     200    200    200      404      401     200     403      403       404
callXmlRpc                           401       404     403     200    200    200      404      401     200     403      403       404
callXmlRpc/for the team              401       404     403     200    200    200      404      401     200     403      403       404

listTeamTickets                      401       404     200     200    200    200      404      401     200     200      200       404
listTickets                          401       200     200     200    200    200      200      401     200     200      200       200
createTicket                         401       404     403     200    200    200      404      401     200     403      403       404
createTicket/about a site            401       404     403     200    200    200      404      401     200     403      403       404
createTicket/with a file             401       404     403     200    200    200      404      401     200     403      403       404
getTicket                            401       404     200     200    200    200      404      401     200     200      200       404
updateTicket                         401       404     403     200    200    200      404      401     200     403      403       404
deleteTicket                         401       404     403     403    200    200      404      401     200     403      403       404
deleteTicket/opened by the caller    401       404     200     200    200    200      404      401     200     403      403       404
listReplies                          401       404     200     200    200    200      404      401     200     200      200       404
createReply                          401       404     403     200    200    200      404      401     200     403      403       404
uploadAttachment                     401       200     200     200    200    200      200      401     200     403      403       200
getAttachment                        401       404     200     200    200    200      404      401     200     200      200       200
getAttachment/of no ticket yet       401       404     404     200    404    404      404      401     404     404      404       200

listWebhooks                         401       404     403     403    200    200      404      401     200     200      200       404
createWebhook                        401       404     403     403    200    200      404      401     200     403      403       404
getWebhook                           401       404     403     403    200    200      404      401     200     200      200       404
updateWebhook                        401       404     403     403    200    200      404      401     200     403      403       404
deleteWebhook                        401       404     403     403    200    200      404      401     200     403      403       404
rotateWebhookSecret                  401       404     403     403    200    200      404      401     200     403      403       404
testWebhook                          401       404     403     403    200    200      404      401     200     403      403       404
replayWebhook                        401       404     403     403    200    200      404      401     200     403      403       404
listWebhookDeliveries                401       404     403     403    200    200      404      401     200     200      200       404
getWebhookDelivery                   401       404     403     403    200    200      404      401     200     200      200       404
replayWebhookDelivery                401       404     403     403    200    200      404      401     200     403      403       404

listPlans                            200       200     200     200    200    200      200      200     200     200      200       200
createCheckoutSession                401       404     403     403    403    200      404      401     200     403      403       404
createCheckoutSession/new team       401       200     200     200    200    200      200      401     200     403      403       200
syncCheckout                         401       404     404     404    404    200      404      401     200     403      403       404
createPortalSession                  401       200     200     200    200    200      200      401     200     403      403       200
syncBilling                          401       200     200     200    200    200      200      401     200     403      403       200
getTeamBilling                       401       404     403     403    200    200      404      401     200     200      200       404
setAdditionalSites                   401       404     403     403    403    200      404      401     200     403      403       404
getTeamUsage                         401       404     200     200    200    200      404      401     200     200      200       404
receivePaymentEvent                  200       200     200     200    200    200      200      200     200     200      200       200
getTestCheckout                      401       404     404     404    404    200      404      401     200     200      200       404
endTestCheckout                      401       404     404     404    404    200      404      401     200     403      403       404
getTestPortal                        401       404     404     404    404    200      404      401     200     200      200       404
actInTestPortal                      401       404     404     404    404    200      404      401     200     403      403       404

listRegions                          200       200     200     200    200    200      200      200     200     200      200       200
getRegion                            200       200     200     200    200    200      200      200     200     200      200       200
getFrontEnd                          200       200     200     200    200    200      200      200     200     200      200       200

authorizeMetrics                     302       302     302     302    302    302      302      302     302     302      302       302
exchangeMetricsCode                  200       200     200     200    200    200      200      200     200     200      200       200
getMetricsUser                       401       200     200     200    200    200      200      401     200     200      200       200
getMetricsDashboard                  401       403     403     403    403    403      403      401     403     403      403       200

createRegion                         401       403     403     403    403    403      403      401     403     403      403       200
updateRegion                         401       403     403     403    403    403      403      401     403     403      403       200
deleteRegion                         401       403     403     403    403    403      403      401     403     403      403       200
listAllTeams                         401       403     403     403    403    403      403      401     403     403      403       200
suspendTeam                          401       403     403     403    403    403      403      401     403     403      403       200
listAllTickets                       401       403     403     403    403    403      403      401     403     403      403       200
getAnyTicket                         401       403     403     403    403    403      403      401     403     403      403       200
listAnyReplies                       401       403     403     403    403    403      403      401     403     403      403       200
answerTicket                         401       403     403     403    403    403      403      401     403     403      403       200
listDeletedSites                     401       403     403     403    403    403      403      401     403     403      403       200
restoreDeletedSite                   401       403     403     403    403    403      403      401     403     403      403       200
listFailedJobs                       401       403     403     403    403    403      403      401     403     403      403       200
retryJob                             401       403     403     403    403    403      403      401     403     403      403       200
`;

/**
 * What the stranger hears when an id belongs to another team: the same as for an id that nobody has. Every place of
 * every request where an id can stand is listed; `public` things have no owner.
 */
const FOREIGN_IDS = `
createApiToken  body.team_id                   422
deleteApiToken  params.api_token_id            404 api_token.not_found

getTeam         params.team_id                 404 team.not_found
updateTeam      params.team_id                 404 team.not_found
listTeamEvents  params.team_id                 404 team.not_found
listMembers     params.team_id                 404 team.not_found
getMember       params.team_id                 404 team.not_found
getMember       params.team_member_id          404 member.not_found
removeMember    params.team_id                 404 team.not_found
removeMember    params.team_member_user_id     404 member.not_found

listInvites     params.team_id                 404 team.not_found
createInvite    params.team_id                 404 team.not_found
deleteInvite    params.team_id                 404 team.not_found
deleteInvite    params.team_member_invite_id   404 invite.not_found
getInvite       params.invite_id               404 invite.not_found

getEvent        params.event_id                404 event.not_found
readEvents      body.event_id                  404 event.not_found

listSites       query.team_id                  404 team.not_found
createSite      body.team_id                   404 team.not_found
getSite         params.fqdn                    404 site.not_found
updateSite      params.fqdn                    404 site.not_found
updateSite      body.team_id                   404 team.not_found
deleteSite      params.fqdn                    404 site.not_found
sleepSite       params.fqdn                    404 site.not_found
listSiteEvents  params.fqdn                    404 site.not_found
getSiteCdn      params.fqdn                    404 site.not_found
getSiteUsage    params.fqdn                    404 site.not_found
createSiteLogin params.fqdn                    404 site.not_found

listExternalPaths   params.fqdn                404 site.not_found
createExternalPath  params.fqdn                404 site.not_found
getExternalPath     params.fqdn                404 site.not_found
getExternalPath     params.external_path_id    404 external_path.not_found
updateExternalPath  params.fqdn                404 site.not_found
updateExternalPath  params.external_path_id    404 external_path.not_found
deleteExternalPath  params.fqdn                404 site.not_found
deleteExternalPath  params.external_path_id    404 external_path.not_found

getBackups          params.fqdn                404 site.not_found
listPitFiles        params.fqdn                404 site.not_found
createBlobUrls      params.fqdn                404 site.not_found
listPitRestores     params.fqdn                404 site.not_found
createPitRestore    params.fqdn                404 site.not_found
previewPitRestore   params.fqdn                404 site.not_found
getPitRestore       params.fqdn                404 site.not_found
getPitRestore       params.pit_restore_id      404 pit_restore.not_found
getPreview          params.preview_id          404 preview.not_found

getDomainClaim      query.team_id              404 team.not_found
deleteGitAccount    params.git_account_id      404 git_account.not_found

listApplicationPasswords   params.team_id      404 team.not_found
createApplicationPassword  body.team_id        404 team.not_found
updateApplicationPassword  params.fqdn         404 application_password.not_found
updateApplicationPassword  query.team_id       404 application_password.not_found
deleteApplicationPassword  params.fqdn         404 application_password.not_found
deleteApplicationPassword  query.team_id       404 application_password.not_found
cmsProxy            body.team_id               404 application_password.not_found
storefrontProxy     body.team_id               404 application_password.not_found
callXmlRpc          params.fqdn                404 application_password.not_found
callXmlRpc          query.team_id              404 application_password.not_found

listTeamTickets params.team_id                 404 team.not_found
createTicket    body.team_id                   404 team.not_found
createTicket    body.site_live_id              404 site.not_found
createTicket    body.s3_object                 404 attachment.not_found
getTicket       params.ticket_id               404 ticket.not_found
updateTicket    params.ticket_id               404 ticket.not_found
deleteTicket    params.ticket_id               404 ticket.not_found
listReplies     params.ticket_id               404 ticket.not_found
createReply     params.ticket_id               404 ticket.not_found
getAttachment   params.s3_object               404 attachment.not_found

listWebhooks           params.team_id         404 team.not_found
createWebhook          params.team_id         404 team.not_found
getWebhook             params.team_id         404 team.not_found
getWebhook             params.webhook_id      404 webhook.not_found
updateWebhook          params.team_id         404 team.not_found
updateWebhook          params.webhook_id      404 webhook.not_found
deleteWebhook          params.team_id         404 team.not_found
deleteWebhook          params.webhook_id      404 webhook.not_found
rotateWebhookSecret    params.team_id         404 team.not_found
rotateWebhookSecret    params.webhook_id      404 webhook.not_found
testWebhook            params.team_id         404 team.not_found
testWebhook            params.webhook_id      404 webhook.not_found
replayWebhook          params.team_id         404 team.not_found
replayWebhook          params.webhook_id      404 webhook.not_found
listWebhookDeliveries  params.team_id         404 team.not_found
listWebhookDeliveries  params.webhook_id      404 webhook.not_found
getWebhookDelivery     params.team_id         404 team.not_found
getWebhookDelivery     params.webhook_id      404 webhook.not_found
getWebhookDelivery     params.delivery_id     404 webhook_delivery.not_found
replayWebhookDelivery  params.team_id         404 team.not_found
replayWebhookDelivery  params.webhook_id      404 webhook.not_found
replayWebhookDelivery  params.delivery_id     404 webhook_delivery.not_found

createCheckoutSession  body.for_team_id        404 team.not_found
syncCheckout    params.checkout_id             404 checkout.not_found
getTeamBilling  params.team_id                 404 team.not_found
setAdditionalSites params.team_id              404 team.not_found
getTeamUsage    params.team_id                 404 team.not_found
getTestCheckout params.session_id              404 test_checkout.not_found
endTestCheckout params.session_id              404 test_checkout.not_found
getTestPortal   params.session_id              404 test_portal.not_found
actInTestPortal params.session_id              404 test_portal.not_found

getRegion       params.region_id               public
updateRegion    params.region_id               403 auth.operators_only
deleteRegion    params.region_id               403 auth.operators_only
suspendTeam     params.team_id                 403 auth.operators_only
getAnyTicket    params.ticket_id               403 auth.operators_only
listAnyReplies  params.ticket_id               403 auth.operators_only
answerTicket    params.ticket_id               403 auth.operators_only
restoreDeletedSite  params.site_id            403 auth.operators_only
retryJob        params.job_id                  403 auth.operators_only

authorizeMetrics    query.client_id            public
exchangeMetricsCode body.client_id             public
`;

export const expectedStatuses: Map<string, Record<CallerName, number>> = new Map(
  lines(STATUSES)
    .slice(1)
    .map((line) => {
      const words = line.split(/\s+/);
      const statuses = words.splice(-CALLERS.length).map(Number);
      return [words.join(' '), Object.fromEntries(CALLERS.map((caller, at) => [caller, statuses[at]]))];
    }) as [string, Record<CallerName, number>][],
);

/** From `operation part.name` to what the stranger gets. */
export const foreignIds: Map<string, { status: number; code: string | undefined } | 'public'> = new Map(
  lines(FOREIGN_IDS).map((line) => {
    const [operation, position, status, code] = line.split(/\s+/);
    return [`${operation} ${position}`, status === 'public' ? 'public' : { status: Number(status), code }];
  }),
);

function lines(table: string): string[] {
  return table
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
