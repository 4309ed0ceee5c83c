import { LIMITS } from './git-sync.files.ts';

/** Why something that the site has is not for a repository, whoever asks. Uploads and caches lie outside of what Git has of a site. */
export type LeftOut = 'link' | 'secret' | 'name' | 'ignored' | 'unexported' | 'unread';

/** Passwords, keys, and logs that may hold either. What is there as an example for others is none. */
const SECRETS = [
  /^wp-config(?!-sample\.php$)/,
  /^\.env(?!\.(?:example|sample|dist|template)$)(?:[-.~].*)?$/,
  /^\.(?:htpasswd|netrc|npmrc|pgpass|my\.cnf|git-credentials)$/,
  /^(?:auth|service-account|credentials)(?:\.json)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)$/,
  /\.(?:key|p12|pfx|ppk|jks|kdbx)$/,
  /(?:private|key|server).*\.pem$/,
  /\.(?:log|sqlite3?|sql\.(?:gz|bz2|zip|xz))$/,
  /^(?:debug|error|php_errors?)_?log$/,
];

export function whyNever(path: string): LeftOut | undefined {
  const names = path.split('/');
  if (Buffer.byteLength(path) > LIMITS.pathBytes || names.some(isUnfit)) return 'name';
  const last = (names.at(-1) as string).toLowerCase();
  return SECRETS.some((secret) => secret.test(last)) ? 'secret' : undefined;
}

/** What git takes for its own folder on one machine or another, and takes from nobody. */
function isUnfit(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  if (Buffer.byteLength(name) > LIMITS.nameBytes || name.includes('\\')) return true;
  return plain === '.git' || plain.startsWith('git~') || plain.startsWith('.git:');
}
