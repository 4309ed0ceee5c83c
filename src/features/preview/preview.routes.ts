import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Uuid } from '#core/http/schema.ts';
import type { Access } from '#core/policy.ts';
import { Preview, previewNotFound } from './preview.schema.ts';
import { findPreview, type PreviewRow } from './preview.sql.ts';
import { viewPreview } from './preview.ts';

/** For nobody but whoever asked for it, and only while they are still in the team. */
const ownPreview: Access<PreviewRow> = {
  who: 'team',
  rule: 'whoever asked for the preview',
  named: 'path',
  errors: [previewNotFound],
  async find(db, caller, input) {
    const preview = await findPreview(db, String(input.preview_id));
    const isOwn = preview?.user_id === caller.userId && caller.roles.has(preview.team_id);
    if (!preview || !isOwn || preview.expires_at.getTime() <= Date.now()) throw previewNotFound();
    return preview;
  },
};

export const previewOperations = [
  operation({
    id: 'getPreview',
    method: 'GET',
    path: '/preview/{preview_id}',
    tag: 'restores',
    summary: 'The way into a preview that you asked for',
    access: ownPreview,
    params: Type.Object({ preview_id: Uuid }),
    response: Preview,
    handle: async ({ services, subject }) => viewPreview(services, subject),
  }),
];
