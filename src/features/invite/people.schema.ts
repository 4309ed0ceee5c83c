import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '#core/http/schema.ts';

export const Person = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Of the membership, or of the invite' }),
    kind: OneOf(['member', 'invite']),
    role: OneOf(['owner', 'admin', 'member', 'viewer', 'limited'], {
      description: 'limited: in the team for some of its sites alone',
    }),
    user_id: Nullable(Uuid),
    email: Type.String(),
    full_name: Type.String(),
    since: Timestamp,
    expiry: Nullable(Timestamp),
    site_count: Nullable(Type.Integer({ description: 'Of how many sites; null is the whole team' })),
    link: Type.String({ description: 'Of an invite, for whoever may invite; else empty' }),
  },
  { title: 'Person' },
);
export type Person = Static<typeof Person>;
