import { Type } from 'typebox';
import type { Role } from '#core/auth/caller.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, Fqdn, say } from '#core/http/schema.ts';
import { OwnCertificate } from '#features/certificate/certificate.schema.ts';
import { readOwn } from '#features/certificate/certificate.ts';
import { dnsFailed, dnsTimeout, domainNotVerified } from '#features/domain/domain.schema.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onOwnSite, onPartOfOwnSite, onPartOfSite, onSite } from '#features/instance/instance.ts';
import { updateFailed } from '#features/site/site.schema.ts';
import { furtherNameErrors } from '#features/site-name/site-name.schema.ts';
import {
  CheckedSiteDomain,
  certificateNotFound,
  domainIsPrimary,
  domainNotFound,
  NewSiteDomain,
  SiteDomain,
  SiteDomainChange,
  SiteDomains,
} from './site-domain.schema.ts';
import { type DomainRow, findDomain } from './site-domain.sql.ts';
import {
  createSiteDomain,
  deleteSiteCertificate,
  deleteSiteDomain,
  listSiteDomains,
  lookAtDomain,
  prepareDomains,
  promoteSiteDomain,
  rereadSiteDomain,
  setSiteCertificate,
  updateSiteDomain,
  verifySiteDomain,
} from './site-domain.ts';

const tag = 'domains';
const SitePath = Type.Object({ fqdn: Fqdn });
const DomainPath = Type.Object({ fqdn: Fqdn, domain: say(Fqdn, 'One of the names of the site') });
const path = '/site/{fqdn}/domain/{domain}';

const find = (db: Parameters<typeof findDomain>[0], site: { id: string }, input: Record<string, unknown>) =>
  findDomain(db, site.id, String(input.domain));
const onDomain = (role: Role) => onPartOfSite<DomainRow>(role, find, domainNotFound);
const onOwnDomain = onPartOfOwnSite<DomainRow>(find, domainNotFound);

export const siteDomainOperations = [
  operation({
    id: 'listSiteDomains',
    method: 'GET',
    path: '/site/{fqdn}/domain',
    tag,
    summary: 'All the names of a site, with the state of their records and certificates',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    response: SiteDomains,
    handle: async ({ db, services, subject: site }) => ({ results: await listSiteDomains(db, services, site.id) }),
  }),
  operation({
    id: 'createSiteDomain',
    method: 'POST',
    path: '/site/{fqdn}/domain',
    tag,
    summary: 'Give the site a further name; the site goes on meanwhile',
    access: onOwnSite,
    assistant: true,
    params: SitePath,
    body: NewSiteDomain,
    response: SiteDomain,
    errors: furtherNameErrors,
    prepare: ({ db, services, subject: site, body }) => prepareDomains(db, services, site, body),
    handle: (call) => createSiteDomain(call, call.subject, call.prepared),
  }),
  operation({
    id: 'verifySiteDomain',
    method: 'POST',
    path: `${path}/verify`,
    tag,
    summary: 'Look at the DNS records of a name now, and tell what they must say',
    access: onDomain('member'),
    assistant: true,
    params: DomainPath,
    response: CheckedSiteDomain,
    errors: [dnsFailed, dnsTimeout],
    prepare: ({ db, services, subject: { site, part } }) => lookAtDomain(db, services, site, part.fqdn),
    handle: (call) => verifySiteDomain(call, call.subject.site, call.subject.part.fqdn, call.prepared),
  }),
  operation({
    id: 'updateSiteDomain',
    method: 'PUT',
    path,
    tag,
    summary: 'Whether a name leads to the primary one or shows the site itself',
    access: onOwnDomain,
    assistant: true,
    params: DomainPath,
    body: SiteDomainChange,
    response: SiteDomain,
    errors: [domainIsPrimary],
    handle: (call) => updateSiteDomain(call, call.subject.site, call.subject.part.fqdn, call.body.mode),
  }),
  operation({
    id: 'promoteSiteDomain',
    method: 'POST',
    path: `${path}/primary`,
    tag,
    summary: "Make a name the site's own address; the one before leads there from then on",
    access: onOwnDomain,
    assistant: true,
    params: DomainPath,
    response: SiteDomain,
    errors: [domainNotVerified, siteBusy, updateFailed],
    goesOn: true,
    handle: (call) => promoteSiteDomain(call, call.subject.site, call.subject.part.fqdn),
    reread: (call, first) => rereadSiteDomain(call, call.subject.site, first),
  }),
  operation({
    id: 'deleteSiteDomain',
    method: 'DELETE',
    path,
    tag,
    summary: 'Take a name from the site; it leads nowhere then',
    access: onOwnDomain,
    assistant: true,
    params: DomainPath,
    response: Empty,
    errors: [domainIsPrimary, siteBusy],
    async handle(call) {
      await deleteSiteDomain(call, call.subject.site, call.subject.part.fqdn);
      return {};
    },
  }),
  operation({
    id: 'setSiteCertificate',
    method: 'PUT',
    path: `${path}/certificate`,
    tag,
    summary: 'Serve a name with a certificate of your own',
    access: onOwnDomain,
    params: DomainPath,
    body: OwnCertificate,
    response: SiteDomain,
    prepare: async ({ subject: { part }, body }) => readOwn(part.fqdn, body),
    handle: (call) => setSiteCertificate(call, call.subject.site, call.subject.part.fqdn, call.prepared),
  }),
  operation({
    id: 'deleteSiteCertificate',
    method: 'DELETE',
    path: `${path}/certificate`,
    tag,
    summary: 'Remove your own certificate of a name; the platform gets one in its place where it can',
    access: onOwnDomain,
    params: DomainPath,
    response: SiteDomain,
    errors: [certificateNotFound],
    handle: (call) => deleteSiteCertificate(call, call.subject.site, call.subject.part.fqdn),
  }),
];
