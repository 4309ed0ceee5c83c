import { Type } from 'typebox';
import { say } from '#core/http/schema.ts';

export const PictureQuery = Type.Object({
  version: Type.Optional(say(Type.String({ maxLength: 40 }), 'So that a new picture has an address of its own')),
});
