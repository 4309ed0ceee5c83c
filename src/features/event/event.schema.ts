import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, OneOf, OpenObject, Timestamp, Uuid } from '#core/http/schema.ts';
import { User } from '#features/user/user.ts';

export const Event = Type.Object(
  {
    id: Uuid,
    activity: Type.String({ description: 'A readable line' }),
    description: Nullable(
      Type.String({ description: 'A sentence more, such as why it failed; null where the line says it all' }),
    ),
    detail: OpenObject,
    event_type: Type.String(),
    scope: OneOf(['account', 'team', 'site', 'stage']),
    fqdn: Nullable(Type.String()),
    item_id: Nullable(Uuid),
    site_live_id: Nullable(Uuid),
    team_id: Nullable(Uuid),
    unread: Type.Boolean({ description: 'Never true for what one did oneself' }),
    user: Nullable(User),
    user_id: Nullable(Uuid),
    created_at: Timestamp,
    finished_at: Nullable(Timestamp),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

export const eventNotFound = failure('event.not_found', 404, 'There is no such event.');
