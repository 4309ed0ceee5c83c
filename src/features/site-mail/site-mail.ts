/** What sites mail: whose mail it is, how it is signed, how much of it may leave. */

export { dkimKeyOf, dkimName, dkimRecordOf, mailDomainOf, newDkimKeys } from './dkim.ts';
export { listHeldMails } from './held-mail.sql.ts';
export { deliverSiteMail } from './site-mail.jobs.ts';
export { takeWaitingMail } from './site-mail.sql.ts';
