import { CALLERS, type CallerName } from './world.ts';

/**
 * Who gets which status from each operation, written by hand from service.md and from decisions 3 and 4, never from the
 * code. The request is valid and names things of the team Home; `stranger` owns another team, `removed` was a member,
 * `expired` is the owner with a token past its time; `writer`, `reader` and `planner` are the owner with API tokens of all
 * scopes, of read and of plan; `unverified` owns a team where they may do everything but what needs a confirmed address.
 * A row `operation/variant` is the same operation on something else.
 */
const STATUSES = `
                                  nobody  stranger  viewer  member  admin  owner  removed  expired  writer  reader  planner  operator  unverified
signIn                               200       200     200     200    200    200      200      200     200     200      200       200         200
passSecondStep                       200       200     200     200    200    200      200      200     200     200      200       200         200
beginPasskeySignIn                   200       200     200     200    200    200      200      200     200     200      200       200         200
signInWithPasskey                    200       200     200     200    200    200      200      200     200     200      200       200         200
listSessions                         401       200     200     200    200    200      200      401     403     403      403       200         200
deleteSession                        401       200     200     200    200    200      200      401     403     403      403       200         200
deleteOtherSessions                  401       200     200     200    200    200      200      401     403     403      403       200         200
signOut                              200       200     200     200    200    200      200      200     200     200      200       200         200
introspectToken                      401       200     200     200    200    200      200      401     200     200      200       200         200
listApiTokens                        401       200     200     200    200    200      200      401     200     200      200       200         200
createApiToken                       401       200     200     200    200    200      200      401     403     403      403       200         200
createApiToken/for the team alone    401       422     200     200    200    200      422      401     403     403      403       422         200
deleteApiToken                       401       200     200     200    200    200      200      401     403     403      403       200         200
beginDeviceSignIn                    200       200     200     200    200    200      200      200     200     200      200       200         200
inspectDeviceSignIn                  401       200     200     200    200    200      200      401     403     403      403       200         200
confirmDeviceSignIn                  401       200     200     200    200    200      200      401     403     403      403       200         200
confirmDeviceSignIn/for the team     401       422     200     200    200    200      422      401     403     403      403       422         200
refuseDeviceSignIn                   401       200     200     200    200    200      200      401     403     403      403       200         200
exchangeDeviceCode                   200       200     200     200    200    200      200      200     200     200      200       200         200
registerOAuthClient                  201       201     201     201    201    201      201      201     201     201      201       201         201
getAuthorization                     401       200     200     200    200    200      200      401     403     403      403       200         200
decideAuthorization                  401       200     200     200    200    200      200      401     403     403      403       200         200
decideAuthorization/for the team     401       422     200     200    200    200      422      401     403     403      403       422         200
exchangeOAuthToken                   200       200     200     200    200    200      200      200     200     200      200       200         200
revokeOAuthToken                     200       200     200     200    200    200      200      200     200     200      200       200         200
listOAuthGrants                      401       200     200     200    200    200      200      401     200     200      200       200         200
deleteOAuthGrant                     401       200     200     200    200    200      200      401     403     403      403       200         200
listSshKeys                          401       200     200     200    200    200      200      401     200     200      200       200         200
getSshServer                         401       200     200     200    200    200      200      401     200     200      200       200         200
createSshKey                         401       200     200     200    200    200      200      401     403     403      403       200         200
deleteSshKey                         401       200     200     200    200    200      200      401     403     403      403       200         200

register                             200       200     200     200    200    200      200      200     200     200      200       200         200
verifyEmail                          401       200     200     200    200    200      200      401     200     403      403       200         200
verifyEmail/link                     200       200     200     200    200    200      200      200     200     200      200       200         200
resetPassword                        200       200     200     200    200    200      200      200     200     200      200       200         200
resetPassword/link                   200       200     200     200    200    200      200      200     200     200      200       200         200
getMe                                401       200     200     200    200    200      200      401     200     200      200       200         200
getMyAddress                         401       200     200     200    200    200      200      401     200     200      200       200         200
updateMe                             401       200     200     200    200    200      200      401     403     403      403       200         200
getSecondFactor                      401       200     200     200    200    200      200      401     403     403      403       200         200
beginTotp                            401       200     200     200    200    200      200      401     403     403      403       200         403
confirmTotp                          401       200     200     200    200    200      200      401     403     403      403       200         403
removeTotp                           401       200     200     200    200    200      200      401     403     403      403       200         200
beginPasskey                         401       200     200     200    200    200      200      401     403     403      403       200         403
createPasskey                        401       200     200     200    200    200      200      401     403     403      403       200         403
removePasskey                        401       200     200     200    200    200      200      401     403     403      403       200         200
createRecoveryCodes                  401       200     200     200    200    200      200      401     403     403      403       200         200
changeEmail                          401       200     200     200    200    200      200      401     403     403      403       200         200
confirmEmail                         401       200     200     200    200    200      200      401     403     403      403       200         200
takeEmailBack                        200       200     200     200    200    200      200      200     200     200      200       200         200
getNotifications                     401       200     200     200    200    200      200      401     200     200      200       200         200
updateNotifications                  401       200     200     200    200    200      200      401     200     403      403       200         200
unsubscribe                          200       200     200     200    200    200      200      200     200     200      200       200         200
openUnsubscribe                      302       302     302     302    302    302      302      302     302     302      302       302         302

deleteAccount                        401       200     200     200    200    200      200      401     403     403      403       200         200

listTeams                            401       200     200     200    200    200      200      401     200     200      200       200         200
getTeam                              401       404     200     200    200    200      404      401     200     200      200       404         200
updateTeam                           401       404     403     403    403    200      404      401     200     403      403       404         200
getTeamAttention                     401       404     200     200    200    200      404      401     200     200      200       404         200
listTeamEvents                       401       404     200     200    200    200      404      401     200     200      200       404         200
listMembers                          401       404     200     200    200    200      404      401     200     200      200       404         200
getMember                            401       404     200     200    200    200      404      401     200     200      200       404         200
updateMember                         401       404     403     403    403    200      404      401     200     403      403       404         200
removeMember                         401       404     403     403    403    200      404      401     200     403      403       404         200
removeMember/self                    401       404     200     200    200    409      404      401     409     403      403       404         409

transferTeam                         401       404     403     403    403    200      404      401     403     403      403       404         403
deleteTeam                           401       404     403     403    403    200      404      401     403     403      403       404         200
listPeople                           401       404     200     200    200    200      404      401     200     200      200       404         200

listInvites                          401       404     403     403    403    200      404      401     200     200      200       404         200
createInvite                         401       404     403     403    403    200      404      401     200     403      403       404         403
updateInvite                         401       404     403     403    403    200      404      401     200     403      403       404         200
deleteInvite                         401       404     403     403    403    200      404      401     200     403      403       404         200
getInvite                            401       404     403     403    403    200      404      401     200     200      200       404         200
inspectInvite                        200       200     200     200    200    200      200      200     200     200      200       200         200
acceptInvite                         401       200     200     200    200    200      200      401     200     403      403       200         200
acceptInvite/of somebody else        401       403     403     403    403    403      403      401     403     403      403       403         403

listEvents                           401       200     200     200    200    200      200      401     200     200      200       200         200
streamEvents                         401       200     200     200    200    200      200      401     200     200      200       200         200
getEvent                             401       404     200     200    200    200      404      401     200     200      200       404         200
getEvent/of the account              401       404     404     404    404    200      404      401     200     200      200       404         200
readEvents                           401       404     200     200    200    200      404      401     200     403      403       404         200

listSites                            401       200     200     200    200    200      200      401     200     200      200       200         200
listSites/of the team                401       404     200     200    200    200      404      401     200     200      200       404         200
listSiteLabels                       401       404     200     200    200    200      404      401     200     200      200       404         200
labelSites                           401       404     403     200    200    200      404      401     200     403      403       404         200
listSiteViews                        401       404     200     200    200    200      404      401     200     200      200       404         200
saveSiteView                         401       404     200     200    200    200      404      401     200     403      403       404         200
deleteSiteView                       401       404     200     200    200    200      404      401     200     403      403       404         200
createSite                           401       404     403     200    200    200      404      401     200     403      403       404         200
createSite/with a repository         401       404     403     200    200    200      404      401     200     403      403       404         403
importSite                           401       404     403     200    200    200      404      401     200     403      403       404         200
getSite                              401       404     200     200    200    200      404      401     200     200      200       404         200
updateSite                           401       404     403     200    200    200      404      401     200     403      403       404         200
updateSite/to another team           401       404     403     403    200    200      404      401     200     403      403       404         403
deleteSite                           401       404     403     403    200    200      404      401     200     403      403       404         200
deleteSite/created by the caller     401       404     403     200    200    200      404      401     200     403      403       404         200
sleepSite                            401       404     403     200    200    200      404      401     200     403      403       404         200
wakeSite                             401       404     403     200    200    200      404      401     200     403      403       404         200
clearSiteCache                       401       404     403     200    200    200      404      401     200     403      403       404         200
moveSite                             401       404     403     403    200    200      404      401     200     403      403       404         200
listSiteEvents                       401       404     200     200    200    200      404      401     200     200      200       404         200
getSitePicture                       401       404     200     200    200    200      404      401     200     200      200       404         200
getSiteCdn                           401       404     200     200    200    200      404      401     200     200      200       404         200
getSiteUsage                         401       404     200     200    200    200      404      401     200     200      200       404         200
listSiteLog                          401       404     403     200    200    200      404      401     200     200      200       404         200
listSiteErrors                       401       404     403     200    200    200      404      401     200     200      200       404         200
streamSiteLog                        401       404     403     200    200    200      404      401     200     200      200       404         200
diagnoseSite                         401       404     403     200    200    200      404      401     200     200      200       404         200
createTerminal                       401       404     403     200    200    200      404      401     200     403      403       404         403
createTerminal/taken up again        401       404     403     200    200    200      404      401     200     403      403       404         403
listTerminals                        401       404     403     200    200    200      404      401     200     403      403       404         200
endTerminal                          401       404     403     200    200    200      404      401     200     403      403       404         200
connectTerminal                      426       426     426     426    426    426      426      426     426     426      426       426         426
getShellHtml                         401       404     403     200    200    200      404      401     200     403      403       404         403
runSiteCommand                       401       404     403     200    200    200      404      401     200     403      403       404         403
getSoftware                          401       404     200     200    200    200      404      401     200     200      200       404         200
checkSoftware                        401       404     403     200    200    200      404      401     200     403      403       404         200
updateSoftware                       401       404     403     200    200    200      404      401     200     403      403       404         200
installExtension                     401       404     403     200    200    200      404      401     200     403      403       404         200
switchExtension                      401       404     403     200    200    200      404      401     200     403      403       404         200
deleteExtension                      401       404     403     200    200    200      404      401     200     403      403       404         200
getSiteFile                          401       404     403     200    200    200      404      401     200     200      200       404         200
downloadSiteFile                     401       404     403     200    200    200      404      401     200     200      200       404         200
saveSiteFile                         401       404     403     200    200    200      404      401     200     403      403       404         200
uploadSiteFile                       401       404     403     200    200    200      404      401     200     403      403       404         200
createSiteFolder                     401       404     403     200    200    200      404      401     200     403      403       404         200
moveSiteFile                         401       404     403     200    200    200      404      401     200     403      403       404         200
deleteSiteFile                       401       404     403     200    200    200      404      401     200     403      403       404         200
searchSiteFiles                      401       404     403     200    200    200      404      401     200     200      200       404         200
getSiteFileHistory                   401       404     403     200    200    200      404      401     200     200      200       404         200
createSiteLogin                      401       404     403     200    200    200      404      401     200     403      403       404         200
createCodeServerLogin                401       404     403     200    200    200      404      401     200     403      403       404         403
listExternalPaths                    401       404     200     200    200    200      404      401     200     200      200       404         200
createExternalPath                   401       404     403     200    200    200      404      401     200     403      403       404         403
getExternalPath                      401       404     200     200    200    200      404      401     200     200      200       404         200
updateExternalPath                   401       404     403     200    200    200      404      401     200     403      403       404         403
deleteExternalPath                   401       404     403     200    200    200      404      401     200     403      403       404         200

getBackups                           401       404     200     200    200    200      404      401     200     200      200       404         200
listPitFiles                         401       404     200     200    200    200      404      401     200     200      200       404         200
createBlobUrls                       401       404     403     200    200    200      404      401     200     403      403       404         200
getBlob                              200       200     200     200    200    200      200      200     200     200      200       200         200
downloadBackup                       401       404     403     200    200    200      404      401     200     403      403       404         200
listMoments                          401       404     200     200    200    200      404      401     200     200      200       404         200
getHappenings                        401       404     200     200    200    200      404      401     200     200      200       404         200
listRestorePoints                    401       404     200     200    200    200      404      401     200     200      200       404         200
createRestorePoint                   401       404     403     200    200    200      404      401     200     403      403       404         200
deleteRestorePoint                   401       404     403     200    200    200      404      401     200     403      403       404         200
listPitRestores                      401       404     200     200    200    200      404      401     200     200      200       404         200
createPitRestore                     401       404     403     200    200    200      404      401     200     403      403       404         200
createPitRestore/dry run             401       404     403     200    200    200      404      401     200     403      200       404         200
previewPitRestore                    401       404     403     200    200    200      404      401     200     403      200       404         200
getPitRestore                        401       404     200     200    200    200      404      401     200     200      200       404         200
createBreakSearch                    401       404     403     200    200    200      404      401     200     403      403       404         200
getBreakSearch                       401       404     200     200    200    200      404      401     200     200      200       404         200
getPreview                           401       404     200     200    200    200      404      401     200     200      200       404         200
createStage                          401       404     403     200    200    200      404      401     200     403      403       404         200
listStageMail                        401       404     403     200    200    200      404      401     200     200      200       404         200
deleteStage                          401       404     403     200    200    200      404      401     200     403      403       404         200
updateStage                          401       404     403     200    200    200      404      401     200     403      403       404         200
compareStage                         401       404     403     200    200    200      404      401     200     200      200       404         200
commitStage                          401       404     403     200    200    200      404      401     200     403      403       404         200
refreshStage                         401       404     403     200    200    200      404      401     200     403      403       404         200

verifyDomain                         401       200     200     200    200    200      200      401     200     200      200       200         200
checkSiteName                        401       200     200     200    200    200      200      401     200     200      200       200         200
getDomainClaim                       401       404     403     200    200    200      404      401     200     200      200       404         200
listSiteDomains                      401       404     200     200    200    200      404      401     200     200      200       404         200
createSiteDomain                     401       404     403     403    200    200      404      401     200     403      403       404         200
verifySiteDomain                     401       404     403     200    200    200      404      401     200     403      403       404         200
updateSiteDomain                     401       404     403     403    200    200      404      401     200     403      403       404         200
promoteSiteDomain                    401       404     403     403    200    200      404      401     200     403      403       404         200
deleteSiteDomain                     401       404     403     403    200    200      404      401     200     403      403       404         200
setSiteCertificate                   401       404     403     403    200    200      404      401     200     403      403       404         200
deleteSiteCertificate                401       404     403     403    200    200      404      401     200     403      403       404         200
listGitAccounts                      401       200     200     200    200    200      200      401     200     200      200       200         200
createGitAccount                     401       200     200     200    200    200      200      401     200     403      403       200         403
deleteGitAccount                     401       200     200     200    200    200      200      401     200     403      403       200         200
listGitSyncRepositories              401       200     200     200    200    200      200      401     200     200      200       200         200
verifyGitSyncDirectories             401       200     200     200    200    200      200      401     200     200      200       200         403
getGitLink                           401       404     200     200    200    200      404      401     200     200      200       404         200
syncGit                              401       404     403     200    200    200      404      401     200     403      403       404         200
getGitChanges                        401       404     403     200    200    200      404      401     200     200      200       404         200
commitGitChanges                     401       404     403     200    200    200      404      401     200     403      403       404         403
renewGitHookSecret                   401       404     403     200    200    200      404      401     200     403      403       404         200
receiveGitPush                       200       200     200     200    200    200      200      200     200     200      200       200         200

listApplicationPasswords             401       404     200     200    200    200      404      401     200     200      200       404         200
createApplicationPassword            401       404     403     200    200    200      404      401     200     403      403       404         403
updateApplicationPassword            401       404     403     200    200    200      404      401     200     403      403       404         403
updateApplicationPassword/of the team 401       404     403     200    200    200      404      401     200     403      403       404         403
deleteApplicationPassword            401       404     403     200    200    200      404      401     200     403      403       404         200
deleteApplicationPassword/of the team 401       404     403     200    200    200      404      401     200     403      403       404         200
cmsProxy                             401       404     200     200    200    200      404      401     200     200      200       404         403
cmsProxy/that writes                 401       404     403     200    200    200      404      401     200     403      403       404         403
cmsProxy/of the editors                401       404     403     200    200    200      404      401     200     403      403       404         403
cmsProxy/for the team                401       404     200     200    200    200      404      401     200     200      200       404         403
storefrontProxy                      401       404     200     200    200    200      404      401     200     200      200       404         403
storefrontProxy/that writes          401       404     403     200    200    200      404      401     200     403      403       404         403
storefrontProxy/for the team         401       404     200     200    200    200      404      401     200     200      200       404         403
analyticsProxy                       401       404     200     200    200    200      404      401     200     200      200       404         403
analyticsProxy/that writes           401       404     403     200    200    200      404      401     200     403      403       404         403
callXmlRpc                           401       404     403     200    200    200      404      401     200     403      403       404         403
callXmlRpc/for the team              401       404     403     200    200    200      404      401     200     403      403       404         403

listTemplates                        401       200     200     200    200    200      200      401     200     200      200       200         200
createTemplate                       401       422     403     200    200    200      422      401     200     403      403       422         403
createTemplate/for a team            401       404     403     200    200    200      404      401     200     403      403       404         403
getTemplate                          404       404     200     200    200    200      404      404     200     200      200       404         200
getTemplate/for everybody            200       200     200     200    200    200      200      200     200     200      200       200         200
getTemplatePicture                   404       404     200     200    200    200      404      404     200     200      200       404         200
updateTemplate                       401       404     403     403    200    200      404      401     200     403      403       404         403
deleteTemplate                       401       404     403     403    200    200      404      401     200     403      403       404         200
deleteTemplate/made by the caller    401       404     200     200    200    200      404      401     200     403      403       404         200

listTeamTickets                      401       404     200     200    200    200      404      401     200     200      200       404         200
listTickets                          401       200     200     200    200    200      200      401     200     200      200       200         200
createTicket                         401       404     403     200    200    200      404      401     200     403      403       404         200
createTicket/about a site            401       404     403     200    200    200      404      401     200     403      403       404         200
createTicket/with a file             401       404     403     200    200    200      404      401     200     403      403       404         200
getTicket                            401       404     200     200    200    200      404      401     200     200      200       404         200
getTicketContext                     401       404     200     200    200    200      404      401     200     200      200       404         200
updateTicket                         401       404     403     200    200    200      404      401     200     403      403       404         200
deleteTicket                         401       404     403     403    200    200      404      401     200     403      403       404         200
deleteTicket/opened by the caller    401       404     200     200    200    200      404      401     200     403      403       404         200
listReplies                          401       404     200     200    200    200      404      401     200     200      200       404         200
createReply                          401       404     403     200    200    200      404      401     200     403      403       404         200
createReply/with a file              401       404     403     200    200    200      404      401     200     403      403       404         200
streamAnswers                        401       404     200     200    200    200      404      401     200     200      200       404         200
uploadAttachment                     401       200     200     200    200    200      200      401     200     403      403       200         200
getAttachment                        401       404     200     200    200    200      404      401     200     200      200       200         200
getAttachment/of no ticket yet       401       404     404     200    404    404      404      401     404     404      404       200         200

listProposals                        401       200     200     200    200    200      200      401     200     200      200       200         200
createProposal                       401       409     409     200    200    200      409      401     200     403      200       409         200
getProposal                          401       404     404     404    404    200      404      401     200     200      200       404         200
confirmProposal                      401       404     404     404    404    200      404      401     200     403      403       404         200
refuseProposal                       401       404     404     404    404    200      404      401     200     403      403       404         200

listWebhooks                         401       404     403     403    200    200      404      401     200     200      200       404         200
createWebhook                        401       404     403     403    200    200      404      401     200     403      403       404         403
getWebhook                           401       404     403     403    200    200      404      401     200     200      200       404         200
updateWebhook                        401       404     403     403    200    200      404      401     200     403      403       404         403
deleteWebhook                        401       404     403     403    200    200      404      401     200     403      403       404         200
rotateWebhookSecret                  401       404     403     403    200    200      404      401     200     403      403       404         403
testWebhook                          401       404     403     403    200    200      404      401     200     403      403       404         403
replayWebhook                        401       404     403     403    200    200      404      401     200     403      403       404         403
listWebhookDeliveries                401       404     403     403    200    200      404      401     200     200      200       404         200
getWebhookDelivery                   401       404     403     403    200    200      404      401     200     200      200       404         200
replayWebhookDelivery                401       404     403     403    200    200      404      401     200     403      403       404         403

listPlans                            200       200     200     200    200    200      200      200     200     200      200       200         200
createCheckoutSession                401       404     403     403    403    200      404      401     200     403      403       404         200
createCheckoutSession/new team       401       200     200     200    200    200      200      401     200     403      403       200         200
syncCheckout                         401       404     404     404    404    200      404      401     200     403      403       404         200
createPortalSession                  401       200     200     200    200    200      200      401     200     403      403       200         200
syncBilling                          401       200     200     200    200    200      200      401     200     403      403       200         200
getTeamBilling                       401       404     403     403    200    200      404      401     200     200      200       404         200
getTeamBills                         401       404     403     403    403    200      404      401     200     200      200       404         200
setAdditionalSites                   401       404     403     403    403    200      404      401     200     403      403       404         200
getTeamUsage                         401       404     200     200    200    200      404      401     200     200      200       404         200
listSiteUse                          401       404     200     200    200    200      404      401     200     200      200       404         200
receivePaymentEvent                  200       200     200     200    200    200      200      200     200     200      200       200         200
getTestCheckout                      401       404     404     404    404    200      404      401     200     200      200       404         200
endTestCheckout                      401       404     404     404    404    200      404      401     200     403      403       404         200
getTestPortal                        401       404     404     404    404    200      404      401     200     200      200       404         200
actInTestPortal                      401       404     404     404    404    200      404      401     200     403      403       404         200

listRegions                          200       200     200     200    200    200      200      200     200     200      200       200         200
getRegion                            200       200     200     200    200    200      200      200     200     200      200       200         200
getFrontEnd                          200       200     200     200    200    200      200      200     200     200      200       200         200

authorizeMetrics                     302       302     302     302    302    302      302      302     302     302      302       302         302
exchangeMetricsCode                  200       200     200     200    200    200      200      200     200     200      200       200         200
getMetricsUser                       401       200     200     200    200    200      200      401     200     200      200       200         200
getMetricsDashboard                  401       403     403     403    403    403      403      401     403     403      403       200         403

listAllRegions                       401       403     403     403    403    403      403      401     403     403      403       200         403
createRegion                         401       403     403     403    403    403      403      401     403     403      403       200         403
updateRegion                         401       403     403     403    403    403      403      401     403     403      403       200         403
deleteRegion                         401       403     403     403    403    403      403      401     403     403      403       200         403
listAllTeams                         401       403     403     403    403    403      403      401     403     403      403       200         403
suspendTeam                          401       403     403     403    403    403      403      401     403     403      403       200         403
setTeamPlan                          401       403     403     403    403    403      403      401     403     403      403       200         403
listAllUsers                         401       403     403     403    403    403      403      401     403     403      403       200         403
blockUser                            401       403     403     403    403    403      403      401     403     403      403       200         403
getPlatformOverview                  401       403     403     403    403    403      403      401     403     403      403       200         403
listAnyEvents                        401       403     403     403    403    403      403      401     403     403      403       200         403
listAnyEvents/of a person            401       403     403     403    403    403      403      401     403     403      403       200         403
listAnyEvents/of a site              401       403     403     403    403    403      403      401     403     403      403       200         403
getAnyUser                           401       403     403     403    403    403      403      401     403     403      403       200         403
getAnyTeam                           401       403     403     403    403    403      403      401     403     403      403       200         403
listAnyMembers                       401       403     403     403    403    403      403      401     403     403      403       200         403
listAllSites                         401       403     403     403    403    403      403      401     403     403      403       200         403
getAnySite                           401       403     403     403    403    403      403      401     403     403      403       200         403
viewAsUser                           401       403     403     403    403    403      403      401     403     403      403       200         403
listAccountViews                     401       403     403     403    403    403      403      401     403     403      403       200         403
endView                              401       200     200     200    200    200      200      401     200     200      200       200         200
resetSecondFactor                    401       403     403     403    403    403      403      401     403     403      403       200         403
listAllTemplates                     401       403     403     403    403    403      403      401     403     403      403       200         403
approveTemplate                      401       403     403     403    403    403      403      401     403     403      403       200         403
listAllTickets                       401       403     403     403    403    403      403      401     403     403      403       200         403
getAnyTicket                         401       403     403     403    403    403      403      401     403     403      403       200         403
getAnyTicketContext                  401       403     403     403    403    403      403      401     403     403      403       200         403
assignTicket                         401       403     403     403    403    403      403      401     403     403      403       200         403
unassignTicket                       401       403     403     403    403    403      403      401     403     403      403       200         403
listAnyReplies                       401       403     403     403    403    403      403      401     403     403      403       200         403
answerTicket                         401       403     403     403    403    403      403      401     403     403      403       200         403
answerTicket/with a file             401       403     403     403    403    403      403      401     403     403      403       200         403
listDeletedSites                     401       403     403     403    403    403      403      401     403     403      403       200         403
restoreDeletedSite                   401       403     403     403    403    403      403      401     403     403      403       200         403
listFailedJobs                       401       403     403     403    403    403      403      401     403     403      403       200         403
retryJob                             401       403     403     403    403    403      403      401     403     403      403       200         403
`;

/**
 * What the stranger hears when an id belongs to another team: the same as for an id that nobody has. Every place of
 * every request where an id can stand is listed; `public` things have no owner.
 */
const FOREIGN_IDS = `
createApiToken  body.team_id                   422
deleteApiToken  params.api_token_id            404 api_token.not_found
deleteSshKey    params.ssh_key_id              404 ssh_key.not_found
deleteSession   params.session_id              404 session.not_found
passSecondStep      body.credential_id         public
signInWithPasskey   body.credential_id         public
createPasskey       body.credential_id         public
removePasskey   params.passkey_id              404 passkey.not_found
confirmDeviceSignIn body.team_id               422
exchangeDeviceCode  body.client_id             public
getAuthorization    query.client_id            public
decideAuthorization body.client_id             public
decideAuthorization body.team_id               422
exchangeOAuthToken  body.client_id             public
revokeOAuthToken    body.client_id             public
deleteOAuthGrant    params.oauth_grant_id      404 oauth_grant.not_found

getTeam         params.team_id                 404 team.not_found
updateTeam      params.team_id                 404 team.not_found
getTeamAttention params.team_id                404 team.not_found
listTeamEvents  params.team_id                 404 team.not_found
listMembers     params.team_id                 404 team.not_found
getMember       params.team_id                 404 team.not_found
getMember       params.team_member_id          404 member.not_found
updateMember    params.team_id                 404 team.not_found
updateMember    params.team_member_id          404 member.not_found
removeMember    params.team_id                 404 team.not_found
removeMember    params.team_member_user_id     404 member.not_found

transferTeam    params.team_id                 404 team.not_found
transferTeam    body.user_id                   404 member.not_found
deleteTeam      params.team_id                 404 team.not_found
listPeople      params.team_id                 404 team.not_found
listInvites     params.team_id                 404 team.not_found
createInvite    params.team_id                 404 team.not_found
updateInvite    params.team_id                 404 team.not_found
updateInvite    params.team_member_invite_id   404 invite.not_found
deleteInvite    params.team_id                 404 team.not_found
deleteInvite    params.team_member_invite_id   404 invite.not_found
getInvite       params.invite_id               404 invite.not_found

getEvent        params.event_id                404 event.not_found
readEvents      body.event_id                  404 event.not_found

listSites       query.team_id                  404 team.not_found
listSiteLabels  params.team_id                 404 team.not_found
labelSites      params.team_id                 404 team.not_found
listSiteViews   params.team_id                 404 team.not_found
saveSiteView    params.team_id                 404 team.not_found
deleteSiteView  params.team_id                 404 team.not_found
deleteSiteView  params.site_view_id            404 site_view.not_found
createSite      body.team_id                   404 team.not_found
importSite      query.team_id                  404 team.not_found
getSite         params.fqdn                    404 site.not_found
updateSite      params.fqdn                    404 site.not_found
updateSite      body.team_id                   404 team.not_found
deleteSite      params.fqdn                    404 site.not_found
sleepSite       params.fqdn                    404 site.not_found
wakeSite        params.fqdn                    404 site.not_found
clearSiteCache  params.fqdn                    404 site.not_found
moveSite        params.fqdn                    404 site.not_found
listSiteEvents  params.fqdn                    404 site.not_found
getSiteCdn      params.fqdn                    404 site.not_found
getSiteUsage    params.fqdn                    404 site.not_found
createSiteLogin params.fqdn                    404 site.not_found
createCodeServerLogin params.fqdn              404 site.not_found
getSiteFile     params.fqdn                    404 site.not_found
downloadSiteFile params.fqdn                    404 site.not_found
saveSiteFile    params.fqdn                    404 site.not_found
uploadSiteFile  params.fqdn                    404 site.not_found
createSiteFolder params.fqdn                    404 site.not_found
moveSiteFile    params.fqdn                    404 site.not_found
deleteSiteFile  params.fqdn                    404 site.not_found
searchSiteFiles params.fqdn                    404 site.not_found
getSiteFileHistory params.fqdn                    404 site.not_found
listSiteLog     params.fqdn                    404 site.not_found
listSiteErrors  params.fqdn                    404 site.not_found
getSitePicture  params.fqdn                    404 site.not_found
streamSiteLog   params.fqdn                    404 site.not_found
diagnoseSite    params.fqdn                    404 site.not_found
createTerminal  params.fqdn                    404 site.not_found
createTerminal  body.session_id                404 terminal.not_found
connectTerminal params.fqdn                    public
listTerminals   params.fqdn                    404 site.not_found
endTerminal     params.fqdn                    404 site.not_found
endTerminal     params.session_id              404 terminal.not_found
getShellHtml    params.fqdn                    404 site.not_found
runSiteCommand  params.fqdn                    404 site.not_found
getSoftware     params.fqdn                    404 site.not_found
checkSoftware   params.fqdn                    404 site.not_found
updateSoftware  params.fqdn                    404 site.not_found
installExtension params.fqdn                    404 site.not_found
switchExtension params.fqdn                    404 site.not_found
deleteExtension params.fqdn                    404 site.not_found

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
downloadBackup      params.fqdn                404 site.not_found
listMoments         params.fqdn                404 site.not_found
getHappenings       params.fqdn                404 site.not_found
listRestorePoints   params.fqdn                404 site.not_found
createRestorePoint  params.fqdn                404 site.not_found
deleteRestorePoint  params.fqdn                404 site.not_found
deleteRestorePoint  params.restore_point_id    404 restore_point.not_found
listPitRestores     params.fqdn                404 site.not_found
createPitRestore    params.fqdn                404 site.not_found
previewPitRestore   params.fqdn                404 site.not_found
getPitRestore       params.fqdn                404 site.not_found
getPitRestore       params.pit_restore_id      404 pit_restore.not_found
createBreakSearch   params.fqdn                404 site.not_found
getBreakSearch      params.fqdn                404 site.not_found
getBreakSearch      params.break_search_id     404 break_search.not_found
getPreview          params.preview_id          404 preview.not_found
createStage         params.fqdn                404 site.not_found
listStageMail       params.fqdn                404 site.not_found
deleteStage         params.fqdn                404 site.not_found
updateStage         params.fqdn                404 site.not_found
compareStage        params.fqdn                404 site.not_found
commitStage         params.fqdn                404 site.not_found
refreshStage        params.fqdn                404 site.not_found
getGitLink          params.fqdn                404 site.not_found
syncGit             params.fqdn                404 site.not_found
getGitChanges       params.fqdn                404 site.not_found
commitGitChanges    params.fqdn                404 site.not_found
renewGitHookSecret  params.fqdn                404 site.not_found

getDomainClaim      query.team_id              404 team.not_found
listSiteDomains        params.fqdn                404 site.not_found
createSiteDomain       params.fqdn                404 site.not_found
verifySiteDomain       params.fqdn                404 site.not_found
updateSiteDomain       params.fqdn                404 site.not_found
promoteSiteDomain      params.fqdn                404 site.not_found
deleteSiteDomain       params.fqdn                404 site.not_found
setSiteCertificate     params.fqdn                404 site.not_found
deleteSiteCertificate  params.fqdn                404 site.not_found
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

getTemplate     params.template_name           404 template.not_found
getTemplatePicture  params.template_name       404 template.not_found
createTemplate  body.team_id                   404 team.not_found
updateTemplate  params.template_name           404 template.not_found
deleteTemplate  params.template_name           404 template.not_found

listTeamTickets params.team_id                 404 team.not_found
createTicket    body.team_id                   404 team.not_found
createTicket    body.site_live_id              404 site.not_found
createTicket    body.s3_object                 404 attachment.not_found
getTicket       params.ticket_id               404 ticket.not_found
getTicketContext params.ticket_id               404 ticket.not_found
updateTicket    params.ticket_id               404 ticket.not_found
deleteTicket    params.ticket_id               404 ticket.not_found
listReplies     params.ticket_id               404 ticket.not_found
createReply     body.s3_object                 404 attachment.not_found
createReply     params.ticket_id               404 ticket.not_found
streamAnswers   params.ticket_id               404 ticket.not_found
getAttachment   params.s3_object               404 attachment.not_found

getProposal     params.proposal_id             404 proposal.not_found
confirmProposal params.proposal_id             404 proposal.not_found
refuseProposal  params.proposal_id             404 proposal.not_found

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
getTeamBills    params.team_id                 404 team.not_found
listSiteUse     params.team_id                 404 team.not_found
getTeamUsage    params.team_id                 404 team.not_found
getTestCheckout params.session_id              404 test_checkout.not_found
endTestCheckout params.session_id              404 test_checkout.not_found
getTestPortal   params.session_id              404 test_portal.not_found
actInTestPortal params.session_id              404 test_portal.not_found

getRegion       params.region_id               public
receiveGitPush  params.site_id                 public
updateRegion    params.region_id               403 auth.operators_only
deleteRegion    params.region_id               403 auth.operators_only
suspendTeam     params.team_id                 403 auth.operators_only
setTeamPlan     params.team_id                 403 auth.operators_only
blockUser       params.user_id                 403 auth.operators_only
getAnyUser      params.user_id                 403 auth.operators_only
getAnyTeam      params.team_id                 403 auth.operators_only
listAnyMembers  params.team_id                 403 auth.operators_only
getAnySite      params.site_id                 403 auth.operators_only
listAnyEvents   query.user_id                  403 auth.operators_only
listAnyEvents   query.team_id                  403 auth.operators_only
listAnyEvents   query.site_id                  403 auth.operators_only
listAllTeams    query.user_id                  403 auth.operators_only
listAllSites    query.team_id                  403 auth.operators_only
viewAsUser      params.user_id                 403 auth.operators_only
listAccountViews params.user_id                403 auth.operators_only
resetSecondFactor params.user_id               403 auth.operators_only
approveTemplate params.template_name           403 auth.operators_only
getAnyTicket    params.ticket_id               403 auth.operators_only
getAnyTicketContext params.ticket_id           403 auth.operators_only
listAllTickets  query.team_id                  403 auth.operators_only
assignTicket    params.ticket_id               403 auth.operators_only
assignTicket    body.user_id                   403 auth.operators_only
unassignTicket  params.ticket_id               403 auth.operators_only
listAnyReplies  params.ticket_id               403 auth.operators_only
answerTicket    body.s3_object                 403 auth.operators_only
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

/** Whoever did these has no right to ask again, and a kept answer is for nobody without it: what they are told instead. */
export const ENDS_OWN_RIGHT: Record<string, number> = { transferTeam: 403, deleteTeam: 404, deleteAccount: 401 };
