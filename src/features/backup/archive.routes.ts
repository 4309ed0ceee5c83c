import { Type } from 'typebox';
import { rawOperation } from '#core/http/operation.ts';
import { Fqdn, Moment, OfStage, say } from '#core/http/schema.ts';
import { onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { openArchive } from './archive.ts';
import { downloadRuns, noBackup } from './backup.schema.ts';
import { LATEST, listBackups } from './backup.sql.ts';

export const archiveOperations = [
  rawOperation({
    id: 'downloadBackup',
    method: 'GET',
    path: '/site/{fqdn}/backup/download',
    tag: 'backups',
    summary: 'A backup as one archive (tar.gz) that any WordPress can be made of: wp-content, and the database as SQL',
    // It holds all that the site holds, so no token that may only read gets it.
    access: { ...onSite('member'), scope: 'write' },
    params: Type.Object({ fqdn: Fqdn }),
    query: Type.Object({
      restore_point: Type.Optional(say(Moment, 'The moment; now when left out')),
      stage: OfStage,
    }),
    produces: 'application/gzip',
    errors: [noBackup, stageMissing, downloadRuns],
    async serve({ db, services, subject, query: { restore_point, stage } }, _request, reply) {
      const site = await siteOrStage(db, subject, stage);
      const point = restore_point === undefined ? LATEST : new Date(restore_point);
      const [backup] = await listBackups(db, site.id, point, 1);
      if (!backup) throw noBackup();
      const archive = await openArchive(services, site, backup);
      const name = `${subject.fqdn}-${backup.created_at.toISOString().slice(0, 16).replace(':', '')}.tar.gz`;
      return reply
        .headers({
          'cache-control': 'private, no-store',
          'content-disposition': `attachment; filename="${name}"`,
          'content-security-policy': "sandbox; default-src 'none'",
          'content-type': 'application/gzip',
          'x-content-type-options': 'nosniff',
        })
        .send(archive);
    },
  }),
];
