import { Type } from 'typebox';
import { Nullable } from '#core/http/schema.ts';

export const SshServer = Type.Object(
  {
    is_enabled: Type.Boolean({ description: 'Whether the operator has opened a port for it' }),
    hostname: Type.String({ description: 'Where to connect to, with the name of a site or of its stage as the user' }),
    port: Nullable(Type.Integer()),
    host_key: Type.String({ description: 'A line for known_hosts, without the name of the host' }),
    host_key_fingerprint: Type.String({ description: 'What a client shows when it connects for the first time' }),
  },
  { title: 'SshServer' },
);
