import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type Call, operation, rawOperation } from '#core/http/operation.ts';
import { Empty, Fqdn } from '#core/http/schema.ts';
import type { Upload } from '#core/http/upload.ts';
import type { Services } from '#core/services.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, type SiteRow, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { planStorage } from '#features/site/site.schema.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import type { ContentEntry } from '#host/site-host.ts';
import {
  type Change,
  deleteFile,
  makeFolder,
  moveFile,
  recordChange,
  saveFile,
  uploadFile,
  viewChange,
} from './site-file.change.ts';
import { answered, MAX_TEXT_BYTES } from './site-file.rules.ts';
import {
  ChangedFile,
  FileHistory,
  FileMove,
  FileQuery,
  FileSearchQuery,
  FolderQuery,
  FoundFiles,
  fileChanged,
  fileDenied,
  fileExists,
  fileNotFound,
  HistoryQuery,
  NewFolder,
  notAFile,
  OneFileQuery,
  SavedFile,
  SiteFile,
  StageQuery,
  tooMuch,
  UploadQuery,
} from './site-file.schema.ts';
import { readHistory, readSiteFile, searchSiteFiles } from './site-file.ts';

const tag = 'files';
const SitePath = Type.Object({ fqdn: Fqdn });
const reading = [stageMissing, siteBusy, fileNotFound, fileDenied];
const changing = [...workingTeamErrors, ...reading, notAFile];

/** Text grows on its way: JSON may write six bytes for one. */
const SAVED_LIMIT_BYTES = 6 * MAX_TEXT_BYTES + 65_536;

/** For members and above, be it only to read: plugins keep keys and passwords in their files. */
export const siteFileOperations = [
  operation({
    id: 'getSiteFile',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/file',
    tag,
    summary: 'A file of the content of a site, or what is in a folder; also as it was at a moment',
    access: onSite('member'),
    params: SitePath,
    query: FileQuery,
    response: SiteFile,
    errors: reading,
    async handle({ db, services, subject, query }) {
      return readSiteFile(services, await siteOrStage(db, subject, query.stage), query);
    },
  }),
  rawOperation({
    id: 'downloadSiteFile',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/file/download',
    tag,
    summary: 'The bytes of a file, or a folder as a zip file',
    access: onSite('member'),
    params: SitePath,
    query: FolderQuery,
    produces: 'application/octet-stream',
    errors: [...reading, notAFile],
    async serve({ db, services, subject, query }, _request, reply) {
      const site = await siteOrStage(db, subject, query.stage);
      return answered('query', () => download(services, site, query.path ?? '', reply));
    },
  }),
  operation({
    id: 'saveSiteFile',
    method: 'PUT',
    path: '/site/{fqdn}/file',
    tag,
    summary: 'Save a text file, where nobody has changed it since it was read; a 409 has what is there now as current',
    access: onSite('member'),
    params: SitePath,
    query: StageQuery,
    body: SavedFile,
    bodyLimitBytes: SAVED_LIMIT_BYTES,
    response: ChangedFile,
    errors: [...changing, fileChanged, planStorage],
    prepare: (call) => saveFile(call, call.body),
    handle: changed,
  }),
  operation({
    id: 'uploadSiteFile',
    method: 'POST',
    path: '/site/{fqdn}/file/upload',
    tag,
    summary: 'Upload a file (the body is its bytes)',
    access: onSite('member'),
    accepts: ['stream'],
    params: SitePath,
    query: UploadQuery,
    response: ChangedFile,
    errors: [...changing, fileExists, planStorage],
    prepare: (call) => uploadFile(call, call.query, call.body as Upload),
    handle: changed,
  }),
  operation({
    id: 'createSiteFolder',
    method: 'POST',
    path: '/site/{fqdn}/file/folder',
    tag,
    summary: 'Make a folder',
    access: onSite('member'),
    params: SitePath,
    query: StageQuery,
    body: NewFolder,
    response: ChangedFile,
    errors: [...changing, fileExists],
    prepare: (call) => makeFolder(call, call.body.path),
    handle: changed,
  }),
  operation({
    id: 'moveSiteFile',
    method: 'POST',
    path: '/site/{fqdn}/file/move',
    tag,
    summary: 'Move or rename a file or a folder; nothing is replaced',
    access: onSite('member'),
    params: SitePath,
    query: StageQuery,
    body: FileMove,
    response: ChangedFile,
    errors: [...changing, fileExists],
    prepare: (call) => moveFile(call, call.body),
    handle: changed,
  }),
  operation({
    id: 'deleteSiteFile',
    method: 'DELETE',
    path: '/site/{fqdn}/file',
    tag,
    summary: 'Delete a file, or a folder with all that is in it',
    access: onSite('member'),
    params: SitePath,
    query: OneFileQuery,
    response: Empty,
    errors: [...changing, tooMuch],
    prepare: (call) => deleteFile(call, call.query.path),
    async handle(call) {
      await recordChange(call, call.prepared);
      return {};
    },
  }),
  operation({
    id: 'searchSiteFiles',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/file/search',
    tag,
    summary: 'Files by a part of their names, or by text that is in them',
    access: onSite('member'),
    params: SitePath,
    query: FileSearchQuery,
    response: FoundFiles,
    errors: reading,
    async handle({ db, services, subject, query }) {
      return searchSiteFiles(services, await siteOrStage(db, subject, query.stage), query);
    },
  }),
  operation({
    id: 'getSiteFileHistory',
    showsContent: true,
    method: 'GET',
    path: '/site/{fqdn}/file/history',
    tag,
    summary: 'What a file was, by the backups of the site, newest first',
    access: onSite('member'),
    params: SitePath,
    query: HistoryQuery,
    response: FileHistory,
    errors: [stageMissing],
    async handle({ db, services, subject, query }) {
      return readHistory(services, await siteOrStage(db, subject, query.stage), query);
    },
  }),
];

async function changed(call: Call<unknown, unknown, unknown, SiteRow, Change>): Promise<ChangedFile> {
  await recordChange(call, call.prepared);
  return viewChange(call.prepared as Change & { entry: ContentEntry });
}

/** Always as an attachment: what a site's file holds must not run with the platform's origin. */
async function download(services: Services, site: SiteRow, path: string, reply: FastifyReply): Promise<FastifyReply> {
  const { hosts } = services;
  const { entry } = await hosts.readEntry(site, path, { maxBytes: 0, maxEntries: 0 });
  const isFolder = entry.kind === 'folder';
  const name = isFolder ? `${entry.name || 'wp-content'}.zip` : entry.name;
  reply.headers({
    'cache-control': 'private, no-store',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': isFolder ? 'application/zip' : 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  });
  if (isFolder) return reply.send(await hosts.packFolder(site, path));
  const { host, driver, id } = site;
  const root = { host, driver, root: { siteId: id } };
  const file = entry.kind === 'file' ? await hosts.readFile(root, `/${path}`, 0) : undefined;
  if (!file) throw notAFile();
  const { identity, sizeBytes } = file.stat;
  const stream = await hosts.readFilePart(root, `/${path}`, { identity, first: 0, last: sizeBytes - 1 });
  if (!stream) throw fileNotFound();
  return reply.header('content-length', sizeBytes).send(stream);
}
