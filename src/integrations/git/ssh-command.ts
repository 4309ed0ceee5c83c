import type { GitUrl } from '#core/git.ts';

/**
 * The ssh that git starts. It dials the address that was checked and knows the host by its name; it reads nobody's
 * settings or keys, asks nobody anything, and runs nothing else. A host's key is taken when it is first seen and must stay.
 */
export function sshCommand(options: {
  address: string;
  url: GitUrl;
  keyFile: string | undefined;
  knownHostsFile: string;
}): string {
  const { address, url, keyFile, knownHostsFile } = options;
  const settings = {
    HostName: address,
    HostKeyAlias: url.port === 22 ? url.host : `[${url.host}]:${url.port}`,
    UserKnownHostsFile: knownHostsFile,
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'accept-new',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    IdentityFile: keyFile ?? 'none',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    PreferredAuthentications: 'publickey',
    BatchMode: 'yes',
    ProxyCommand: 'none',
    ProxyJump: 'none',
    ControlPath: 'none',
    PermitLocalCommand: 'no',
    ForwardAgent: 'no',
    ClearAllForwardings: 'yes',
    ConnectTimeout: '10',
    LogLevel: 'ERROR',
  };
  // Git hands this line to a shell.
  const words = Object.entries(settings).map(([name, value]) => `-o ${quoted(`${name}=${value}`)}`);
  return ['ssh', '-F /dev/null', ...words].join(' ');
}

function quoted(word: string): string {
  if (/['\n\0]/.test(word)) throw new Error('a setting of ssh must not hold a quote');
  return `'${word}'`;
}
