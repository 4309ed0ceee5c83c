import type { Caller } from '#core/auth/caller.ts';
import type { Db } from '#core/db/database.ts';
import type { SnapshotName } from '#timemachine/process/protocol.ts';
import { isSmall } from './template.jobs.ts';
import { findVisible } from './template.sql.ts';

/** What a site is made from. */
export interface TemplateContent {
  space: string;
  site: string;
  moment: SnapshotName;
  /** It is at hand on its host, so that a site from it is made as quickly as an empty one. */
  isShared: boolean;
  host: string;
  driver: string;
  coreVersion: string | null;
}

/** What the template of this name, if the caller may use it, makes sites from; else why it does not. */
export async function templateContent(
  db: Db,
  caller: Caller,
  name: string,
): Promise<{ content: TemplateContent } | { fault: string }> {
  const template = await findVisible(db, caller, name);
  if (!template) return { fault: 'there is no template of this name' };
  const { content_id, content_hash, content_point, host, driver } = template;
  if (content_id === null || content_hash === null || content_point === null || host === null || driver === null)
    return { fault: 'the template is still being made' };
  const moment = { hash: content_hash, timeMs: content_point.getTime() };
  const isShared = isSmall(template);
  return {
    content: {
      space: template.id,
      site: content_id,
      moment,
      isShared,
      host,
      driver,
      coreVersion: template.core_version,
    },
  };
}
