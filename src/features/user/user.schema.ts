import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Nullable, Timestamp, Uuid } from '#core/http/schema.ts';

export const User = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    full_name: Type.String(),
    is_active: Type.Boolean({ description: 'False while an operator has blocked the person' }),
    is_verified: Type.Boolean(),
    is_superuser: Type.Boolean({ description: 'Operator of the platform' }),
    is_payment_verified: Type.Boolean(),
    analytics_user_id: Nullable(
      Type.String({ description: 'Whom requests through analytics-proxy may add as a guest; null without a server' }),
    ),
    created_at: Timestamp,
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const userNotFound = failure('user.not_found', 404, 'There is no such person.');
