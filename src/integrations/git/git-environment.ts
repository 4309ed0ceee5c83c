import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, rootCertificates } from 'node:tls';
import type { GitUrl } from '#core/git.ts';

const PATH = '/usr/local/bin:/usr/bin:/bin';

/** Nothing of ours is inherited. Settings that every git reads stand in a file, secrets never do. */
export async function gitEnvironment(
  url: Pick<GitUrl, 'kind' | 'path'>,
  folder: string,
): Promise<Record<string, string>> {
  const [config, certificates] = [join(folder, 'config'), join(folder, 'certificates.pem')];
  const safe = url.kind === 'file' ? `[safe]\n\tdirectory = ${url.path}\n\tdirectory = ${url.path}/.git\n` : '';
  await writeFile(config, CONFIG + safe);
  // The same authorities that our own client trusts, those that an operator added (NODE_EXTRA_CA_CERTS) included.
  if (url.kind === 'https') await writeFile(certificates, trusted());
  return {
    PATH,
    HOME: join(folder, 'home'),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: config,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: url.kind,
    GIT_SSL_CAINFO: certificates,
  };
}

const CONFIG = `[core]
	symlinks = false
	hooksPath = /dev/null
	askPass = /bin/false
[credential]
	helper =
[http]
	proxyAuthMethod = basic
[transfer]
	bundleURI = false
[fetch]
	unpackLimit = 1
	recurseSubmodules = false
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	threads = 1
[init]
	defaultBranch = main
`;

const trusted = () => [...new Set([...rootCertificates, ...getCACertificates('default')])].join('\n');

export const basicHeader = ({ username, token }: { username: string; token: string }) =>
  `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;

/** Settings by way of the environment, which only the process itself and its user can see. */
export function addConfig(env: Record<string, string>, key: string, value: string): void {
  const at = Number(env.GIT_CONFIG_COUNT ?? 0);
  env[`GIT_CONFIG_KEY_${at}`] = key;
  env[`GIT_CONFIG_VALUE_${at}`] = value;
  env.GIT_CONFIG_COUNT = String(at + 1);
}
