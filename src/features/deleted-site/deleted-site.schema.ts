import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, Timestamp, Uuid } from '#core/http/schema.ts';
import { User } from '#features/user/user.ts';

export const DeletedSite = Type.Object(
  {
    id: Uuid,
    fqdn: Type.String(),
    team_id: Uuid,
    team_name: Type.String(),
    storage_bytes: Type.Integer(),
    deleted_by: Nullable(User),
    deleted_at: Timestamp,
    purge_after: Timestamp,
  },
  { title: 'DeletedSite' },
);
export type DeletedSite = Static<typeof DeletedSite>;

export const restoreFailed = failure('site.restore_failed', 502, 'The site could not be brought back.');
export const deletedSiteNotFound = failure('deleted_site.not_found', 404, 'There is no such deleted site.');
