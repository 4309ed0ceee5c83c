import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, say, Timestamp, Uuid } from '#core/http/schema.ts';
import { User } from '#features/user/user.ts';

export const AccountView = Type.Object(
  {
    id: Uuid,
    user_id: Uuid,
    operator: User,
    reason: Type.String(),
    created_at: Timestamp,
    expires_at: Timestamp,
    ended_at: Nullable(Timestamp),
  },
  { title: 'AccountView' },
);
export type AccountView = Static<typeof AccountView>;

export const NewAccountView = Type.Object({
  reason: say(
    Type.String({ minLength: 3, maxLength: 200, format: 'line' }),
    'Why, in one line; the person reads it in their activity',
  ),
});

export const notViewable = failure(
  'account_view.operator',
  409,
  'The accounts of operators, and your own, can not be viewed.',
);
