import { Type } from 'typebox';
import { say, Uuid } from '#core/http/schema.ts';

const Password = say(Type.String({ maxLength: 256 }), 'Your password: a session alone does not do');

/** Whoever finds an open session must not be able to lock its owner out. */
export const WithPassword = Type.Object({ current_password: Password });

export const TotpCode = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 20, description: 'Six digits of the authenticator app' }),
});

export const PasskeyParams = Type.Object({ passkey_id: Uuid });
