import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { operation, rawOperation } from '#core/http/operation.ts';
import { Fqdn, Moment, OfStage, say } from '#core/http/schema.ts';
import { anyone } from '#core/policy.ts';
import type { Services } from '#core/services.ts';
import { readRange } from '#edge/preconditions.ts';
import { findSiteById, onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { failedBy } from '#timemachine/failure.ts';
import { spaceOf } from './backup.place.ts';
import { BlobUrls, BlobWish, blobNotFound, linkExpired, noBackup } from './backup.schema.ts';
import { LATEST } from './backup.sql.ts';
import { createBlobUrls, readLink } from './blob.ts';

const tag = 'backups';

export const blobOperations = [
  operation({
    id: 'createBlobUrls',
    method: 'POST',
    path: '/site/{fqdn}/blob_urls',
    tag,
    summary: 'Links to single files of a backup, which open for an hour without signing in',
    access: onSite('member'),
    effect: 'read',
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({
      at_date: Type.Optional(say(Moment, 'As the files were then; now when left out')),
      stage: OfStage,
    }),
    body: BlobWish,
    response: BlobUrls,
    errors: [noBackup, blobNotFound, stageMissing],
    async prepare({ db, services, subject, query, body }) {
      const site = await siteOrStage(db, subject, query.stage);
      return createBlobUrls(db, services, site, query.at_date === undefined ? LATEST : new Date(query.at_date), body);
    },
    handle: async ({ prepared }) => prepared,
  }),
  rawOperation({
    id: 'getBlob',
    showsContent: true,
    method: 'GET',
    path: '/blob',
    tag,
    summary: 'What a link of createBlobUrls opens; takes ranges',
    access: anyone,
    query: Type.Object({ token: say(Type.String({ pattern: '^[\\w-]{1,4000}\\.[\\w-]{43}$' }), 'As in the link') }),
    produces: 'application/octet-stream',
    also: {
      206: { description: 'The range that was asked for', headers: { 'Content-Range': 'Which bytes these are' } },
      416: { description: 'The file has no such range', headers: { 'Content-Range': 'How many bytes there are' } },
    },
    errors: [linkExpired, blobNotFound],
    serve: ({ services, query }, request, reply) => serveBlob(services, query.token, request, reply),
  }),
];

/** Always as an attachment: what a site's file holds must not run with the platform's origin. */
async function serveBlob(
  services: Services,
  token: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const link = readLink(services, token);
  if (!link) throw linkExpired();
  // The file goes with its site.
  const site = await findSiteById(services.db, link.siteId);
  if (!site) throw blobNotFound();
  const space = await spaceOf(services.db, site.id);
  const total = await services.hosts.keptFileSize(site, space, link.version).catch((error) => {
    if (failedBy(error, 'corrupt_object')) throw blobNotFound();
    throw error;
  });
  reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(link.name)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    // The same content is the same version.
    etag: `"${link.version.replace('+', '')}"`,
  });
  const range = readRange(request.headers.range, total);
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${total}`).send();
  const { first, last } = range ?? { first: 0, last: total - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${total}`);
  reply.header('content-length', last + 1 - first);
  return reply.send(await services.hosts.readKeptFile(site, space, link.version, first, last + 1));
}
