import { Type } from 'typebox';
import { type Caller, roleOnMatter } from '#core/auth/caller.ts';
import { invalid } from '#core/errors.ts';
import type { Body } from '#core/http/body.ts';
import { operation, rawOperation } from '#core/http/operation.ts';
import { Uuid } from '#core/http/schema.ts';
import { type Access, signedIn } from '#core/policy.ts';
import { lockUser } from '#features/user/user.ts';
import { type AttachmentRow, bytesOf, findAttachment, insertAttachment, readAttachment } from './attachment.sql.ts';
import { Attachment, attachmentNotFound, attachmentsFull, tooManyUploads } from './ticket.schema.ts';

const tag = 'tickets';
const MAX_BYTES = 10 * 1024 * 1024;
const MAX_UNCLAIMED_BYTES = 50_000_000;
/** Of one person, in all their tickets: they are in the database, which is everybody's. Who answers tickets has no such bound. */
const MAX_BYTES_OF_PERSON = 250_000_000;

const ownOrInTeam: Access<AttachmentRow> = {
  who: 'team',
  rule: "whoever uploaded it, viewers and above of the ticket's team, and operators",
  named: 'path',
  errors: [attachmentNotFound],
  async find(db, caller, input) {
    const file = await findAttachment(db, String(input.s3_object));
    if (!file || !maySeeFile(caller, file)) throw attachmentNotFound();
    return file;
  },
};

function maySeeFile(caller: Caller, file: AttachmentRow): boolean {
  if (caller.isSuperuser) return true;
  const { team_id, site_live_id: site_id } = file;
  if (team_id !== null) return roleOnMatter(caller, { team_id, site_id }) !== undefined;
  return file.user_id === caller.userId && caller.credential.teamId === null;
}

export const attachmentOperations = [
  operation({
    id: 'uploadAttachment',
    method: 'POST',
    path: '/support/attachment',
    tag,
    summary: 'Upload a file (the body is its bytes) that a ticket then names as s3_object',
    access: signedIn,
    accepts: ['bytes'],
    bodyLimitBytes: MAX_BYTES,
    query: Type.Object({
      name: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '^[^/\\\\\\u0000-\\u001f]+$',
        description: 'The file name',
      }),
    }),
    response: Attachment,
    errors: [tooManyUploads, attachmentsFull],
    async handle({ db, caller, query, body }) {
      const { raw, contentType } = body as Body;
      if (raw.length === 0) throw invalid({ loc: ['body'], msg: 'Field required', type: 'missing' });
      // One after the other, or any number at once would each find room.
      await lockUser(db, caller.userId);
      const { all, unclaimed } = await bytesOf(db, caller.userId);
      if (unclaimed > MAX_UNCLAIMED_BYTES) throw tooManyUploads();
      if (all + raw.length > MAX_BYTES_OF_PERSON && !caller.isSuperuser) throw attachmentsFull();
      const content_type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType)?.[0] ?? 'application/octet-stream';
      return insertAttachment(db, { user_id: caller.userId, name: query.name, content_type, content: raw });
    },
  }),
  rawOperation({
    id: 'getAttachment',
    method: 'GET',
    path: '/support/attachment/{s3_object}',
    tag,
    summary: 'Download an attachment',
    access: ownOrInTeam,
    params: Type.Object({ s3_object: Uuid }),
    produces: 'application/octet-stream',
    async serve({ db, subject: file }, _request, reply) {
      const content = await readAttachment(db, file.s3_object);
      if (!content) throw attachmentNotFound();
      // Never shown in place: what a customer uploaded must not run with the platform's origin.
      reply.header('content-security-policy', "sandbox; default-src 'none'");
      reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
      return reply.type(file.content_type).send(content);
    },
  }),
];
