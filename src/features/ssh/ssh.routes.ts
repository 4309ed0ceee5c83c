import { operation } from '#core/http/operation.ts';
import { signedIn } from '#core/policy.ts';
import { hostKeyOf } from './host-key.ts';
import { SshServer } from './ssh.schema.ts';

export const sshOperations = [
  operation({
    id: 'getSshServer',
    method: 'GET',
    path: '/ssh',
    tag: 'sites',
    summary: 'Where sites are reached by ssh and sftp, and what the server is known by',
    access: signedIn,
    response: SshServer,
    async handle({ services: { config, secrets } }) {
      const { hostname } = new URL(config.baseUrl);
      const { publicKey, fingerprint } = hostKeyOf(secrets, hostname);
      return {
        is_enabled: config.sshPort !== undefined,
        hostname,
        port: config.sshPort ?? null,
        host_key: publicKey,
        host_key_fingerprint: fingerprint,
      };
    },
  }),
];
