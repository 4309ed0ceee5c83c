import { type Static, Type } from 'typebox';
import { failure } from '#core/errors.ts';
import { Timestamp } from '#core/http/schema.ts';

export const CodeServerLogin = Type.Object(
  { url: Type.String({ description: 'Opens the code editor, once' }), expires_at: Timestamp },
  { title: 'CodeServerLogin' },
);
export type CodeServerLogin = Static<typeof CodeServerLogin>;

export const codeServerOff = failure(
  'site.code_server_off',
  409,
  'The code editor of this site is switched off; set code_server_enabled first.',
);

/** Where whoever has a ticket or the password comes in. */
export const ENTRANCE = '/.siteyard/editor';
