import { GitFailed, type GitUrl } from '#core/git.ts';
import { type Outbound, OutboundRefused } from '#core/outbound.ts';

/**
 * Reads the URL of a repository. Git takes far more for one than anybody means: helpers (`ext::`), options
 * (`--upload-pack=`), paths of this machine. Only what is written here in full gets any further.
 */
const MAX_LENGTH = 2083;
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
/** Git quotes it for the shell at the other end; nothing that would need quotes is let through all the same. */
const SSH_PATH = /^[A-Za-z0-9._~/+@][A-Za-z0-9._~/+@-]*$/;
const HTTPS_PATH = /^\/[A-Za-z0-9._~/+@%-]+$/;
const SCP_LIKE = /^([^@/:]+)@([^@/:[\]]+|\[[0-9a-fA-F:.]+\]):(.+)$/;

export function readGitUrl(text: string, outbound: Outbound): GitUrl {
  // Blanks, control characters, and what another reader of URLs would take for something else.
  if (text.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(text) || /["'`\\<>^{|}$;]/.test(text))
    throw refused('must be a URL such as https://github.com/owner/repository.git');
  if (text.startsWith('-')) throw refused('must not start with a dash');
  if (/^[A-Za-z0-9+.-]*::/.test(text)) throw refused('must start with https:// or ssh://');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'https') return readHttps(text, outbound);
  if (scheme === 'ssh') return readSsh(text, outbound);
  if (scheme === 'file') return readFileUrl(text);
  if (scheme === 'http') throw refused('must start with https://: without it anybody on the way could change the code');
  const scp = scheme === undefined ? SCP_LIKE.exec(text) : null;
  if (!scp) throw refused('must start with https:// or ssh://, or look like git@example.com:owner/repository.git');
  const [, user = '', host = '', path = ''] = scp;
  return sshUrl(text, { user, host, port: 22, path }, outbound);
}

function readHttps(text: string, outbound: Outbound): GitUrl {
  const url = URL.parse(text);
  if (!url) throw refused('is not a URL');
  if (url.username || url.password || text.slice('https://'.length).split('/')[0]?.includes('@'))
    throw refused('must not hold a user name or password; link an account of that host instead');
  if (url.search || url.hash) throw refused('must not contain a query or a fragment');
  checkHost(url.host, outbound);
  if (!HTTPS_PATH.test(url.pathname)) throw refused('must name a repository on its host');
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  return { kind: 'https', text: url.href, host, port: Number(url.port || 443), path: url.pathname };
}

function readSsh(text: string, outbound: Outbound): GitUrl {
  const parts = /^ssh:\/\/(?:([^@/]*)@)?([^@/:[\]]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?(\/.+)$/i.exec(text);
  if (!parts) throw refused('must look like ssh://git@example.com/owner/repository.git');
  const [, user = 'git', host = '', port = '22', path = ''] = parts;
  if (user.includes(':')) throw refused('must not hold a password; link a key for that host instead');
  return sshUrl(text, { user, host, port: Number(port), path }, outbound);
}

function sshUrl(
  text: string,
  { user, host, port, path }: { user: string; host: string; port: number; path: string },
  outbound: Outbound,
): GitUrl {
  if (!USER.test(user)) throw refused('must have a plain user name, such as git');
  if (port < 1 || port > 65_535) throw refused('must have a port from 1 to 65535');
  if (!SSH_PATH.test(path)) throw refused('must name a repository by a plain path');
  const hostname = checkHost(host, outbound);
  // Git is given the spelling that was checked, and not the one that was written.
  const name = hostname.includes(':') ? `[${hostname}]` : hostname;
  const isScp = !/^ssh:\/\//i.test(text);
  const plain = isScp ? `${user}@${name}:${path}` : `ssh://${user}@${name}${port === 22 ? '' : `:${port}`}${path}`;
  return { kind: 'ssh', text: plain, host: hostname, port, path };
}

function readFileUrl(text: string): GitUrl {
  const path = /^file:\/\/(\/[A-Za-z0-9._~/+@-]+)$/i.exec(text)?.[1];
  if (!path || path.split('/').includes('..')) throw refused('must look like file:///folder/repository.git');
  return { kind: 'file', text: `file://${path}`, host: '', port: 0, path };
}

/** Reads every notation of an address as whoever dials it would, and refuses what is not public. */
function checkHost(host: string, outbound: Outbound): string {
  if (!/^(?:[A-Za-z0-9._-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?$/.test(host)) throw refused('must name a host');
  try {
    const { hostname } = outbound.checkUrl(`https://${host}/`);
    return hostname.replaceAll(/[[\]]/g, '');
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error;
    throw refused(error.message);
  }
}

const refused = (message: string) => new GitFailed('refused', message);

/** The same for every way to write one repository: with or without `.git`, by https or by ssh. */
export function repositoryKey({ kind, host, port, path }: GitUrl): string {
  const isUsual = port === 443 || port === 22 || kind === 'file';
  const plain = path.replaceAll(/^[/~]+|\/+$/g, '').replace(/\.git$/, '');
  return `${host}${isUsual ? '' : `:${port}`}/${plain}`.toLowerCase();
}
