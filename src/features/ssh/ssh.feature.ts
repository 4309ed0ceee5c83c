import { feature } from '../feature.ts';
import { sshOperations } from './ssh.routes.ts';
import { SshServer } from './ssh-server.ts';

export const sshFeature = feature({
  name: 'ssh',
  operations: sshOperations,
  parts: [
    {
      name: 'the port for ssh',
      stage: 'serve',
      roles: ['api'],
      async start(services) {
        const { sshPort, host, sharesPorts } = services.config;
        if (sshPort === undefined || sharesPorts) return undefined;
        const server = await SshServer.listen(services, host, sshPort);
        return () => server.close();
      },
    },
  ],
});
