import { Type } from 'typebox';
import { roleOnSite } from '#core/auth/caller.ts';
import { operation } from '#core/http/operation.ts';
import { Uuid } from '#core/http/schema.ts';
import type { Access } from '#core/policy.ts';
import { Preview, previewNotFound } from './preview.schema.ts';
import { findPreview, type PreviewRow } from './preview.sql.ts';
import { viewPreview } from './preview.ts';

/** For nobody but whoever asked for it, and only while they may still see its site. */
const ownPreview: Access<PreviewRow> = {
  who: 'team',
  rule: 'whoever asked for the preview',
  named: 'path',
  errors: [previewNotFound],
  async find(db, caller, input) {
    const preview = await findPreview(db, String(input.preview_id));
    const isOwn = preview?.user_id === caller.userId && roleOnSite(caller, preview) !== undefined;
    if (!preview || !isOwn || preview.expires_at.getTime() <= Date.now()) throw previewNotFound();
    return preview;
  },
};

export const previewOperations = [
  operation({
    id: 'getPreview',
    showsContent: true,
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
