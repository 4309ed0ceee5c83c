import { Type } from 'typebox';
import type { Role } from '#core/auth/caller.ts';
import { operation } from '#core/http/operation.ts';
import { Empty, Fqdn, PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { verified } from '#core/policy.ts';
import { lockNamedSite, onPartOfSite, onSite } from '#features/instance/instance.ts';
import { readExternalPath } from './external-path.rules.ts';
import {
  ExternalPath,
  externalPathExists,
  externalPathNotFound,
  NewExternalPath,
  tooManyExternalPaths,
} from './external-path.schema.ts';
import { findExternalPath, listExternalPaths } from './external-path.sql.ts';
import { createExternalPath, deleteExternalPath, updateExternalPath } from './external-path.ts';

const tag = 'external paths';
const SitePath = Type.Object({ fqdn: Fqdn });
const ExternalPathPath = Type.Object({ fqdn: Fqdn, external_path_id: Uuid });

const onExternalPath = (role: Role) =>
  onPartOfSite(
    role,
    (db, site, input) => findExternalPath(db, site.id, String(input.external_path_id)),
    externalPathNotFound,
  );

export const externalPathOperations = [
  operation({
    id: 'listExternalPaths',
    method: 'GET',
    path: '/site/{fqdn}/external_path',
    tag,
    summary: 'The paths of a site that lead elsewhere',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object(PageQuery),
    response: PageOf(ExternalPath),
    async handle({ db, subject: site, query, page }) {
      const { count, rows } = await listExternalPaths(db, site.id, query);
      return page(query, count, rows);
    },
  }),
  operation({
    id: 'createExternalPath',
    method: 'POST',
    path: '/site/{fqdn}/external_path',
    tag,
    summary: 'Send a path of the site to an external URL',
    access: verified(onSite('member')),
    assistant: true,
    params: SitePath,
    body: NewExternalPath,
    response: ExternalPath,
    errors: [externalPathExists, tooManyExternalPaths],
    prepare: async ({ services, subject: site, body }) => readExternalPath(body, site.fqdn, services.outbound),
    handle: async ({ db, caller, subject: site, prepared }) =>
      createExternalPath(db, caller, await lockNamedSite(db, site), prepared),
  }),
  operation({
    id: 'getExternalPath',
    method: 'GET',
    path: '/site/{fqdn}/external_path/{external_path_id}',
    tag,
    summary: 'One external path',
    access: onExternalPath('viewer'),
    params: ExternalPathPath,
    response: ExternalPath,
    handle: async ({ subject: { part: path } }) => path,
  }),
  operation({
    id: 'updateExternalPath',
    method: 'PUT',
    path: '/site/{fqdn}/external_path/{external_path_id}',
    tag,
    summary: 'Change an external path',
    access: verified(onExternalPath('member')),
    assistant: true,
    params: ExternalPathPath,
    body: NewExternalPath,
    response: ExternalPath,
    errors: [externalPathExists],
    prepare: async ({ services, subject: { site }, body }) => readExternalPath(body, site.fqdn, services.outbound),
    handle: async ({ db, caller, subject: { site, part: path }, prepared }) =>
      updateExternalPath(db, caller, await lockNamedSite(db, site), path.id, prepared),
  }),
  operation({
    id: 'deleteExternalPath',
    method: 'DELETE',
    path: '/site/{fqdn}/external_path/{external_path_id}',
    tag,
    summary: 'Delete an external path; WordPress answers there again',
    access: onExternalPath('member'),
    assistant: true,
    params: ExternalPathPath,
    response: Empty,
    async handle({ db, caller, subject: { site, part: path } }) {
      await deleteExternalPath(db, caller, await lockNamedSite(db, site), path);
      return {};
    },
  }),
];
