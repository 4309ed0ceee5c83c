import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Fqdn, Moment, OfStage, say } from '#core/http/schema.ts';
import { onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { filesOf, LISTED_FILES } from './backup.files.ts';
import { Backup, noBackup, PitFiles } from './backup.schema.ts';
import { LATEST, listBackups } from './backup.sql.ts';

const tag = 'backups';
const SitePath = Type.Object({ fqdn: Fqdn });
const momentOf = (text: string | undefined) => (text === undefined ? LATEST : new Date(text));

export const backupOperations = [
  operation({
    id: 'getBackups',
    method: 'GET',
    path: '/site/{fqdn}/backup',
    tag,
    summary: 'The backup closest to a point, at or before it; with number_to_fetch a list of them, closest first',
    access: onSite('viewer'),
    assistant: true,
    params: SitePath,
    query: Type.Object({
      number_to_fetch: Type.Optional(say(Type.Integer({ minimum: 1, maximum: 1000 }), 'How many, for a list')),
      restore_point: Type.Optional(say(Moment, 'The moment; now when left out')),
      stage: OfStage,
    }),
    response: Type.Union([Backup, Type.Array(Backup)], { title: 'BackupOrBackups' }),
    errors: [noBackup, stageMissing],
    async handle({ db, subject, query: { number_to_fetch, restore_point, stage } }) {
      const site = await siteOrStage(db, subject, stage);
      const backups = await listBackups(db, site.id, momentOf(restore_point), number_to_fetch ?? 1);
      if (number_to_fetch !== undefined) return backups;
      if (!backups[0]) throw noBackup();
      return backups[0];
    },
  }),
  operation({
    id: 'listPitFiles',
    method: 'GET',
    path: '/site/{fqdn}/pit_files',
    tag,
    summary: 'The files below wp-content at a point in time',
    access: onSite('viewer'),
    params: SitePath,
    query: Type.Object({
      restore_point: Type.Optional(say(Moment, 'The moment; now when left out')),
      prefix: Type.Optional(Type.String({ maxLength: 4096, description: 'Only files whose keys begin so' })),
      after: Type.Optional(
        say(Type.String({ maxLength: 4096 }), 'Only files behind this one: the last key of the answer before'),
      ),
      limit: Type.Optional(
        say(Type.Integer({ minimum: 1, maximum: LISTED_FILES, default: LISTED_FILES }), 'How many at most'),
      ),
      stage: OfStage,
    }),
    response: PitFiles,
    errors: [noBackup, stageMissing],
    async handle({ db, services, subject, query: { restore_point, stage, ...part } }) {
      const site = await siteOrStage(db, subject, stage);
      const [backup] = await listBackups(db, site.id, momentOf(restore_point), 1);
      if (!backup) throw noBackup();
      const { prefix = '', limit = LISTED_FILES, after } = part;
      return filesOf(services, site, backup, { prefix, limit, after });
    },
  }),
];
