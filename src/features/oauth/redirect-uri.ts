/** Programs on people's own machines whose schemes have no dot, as RFC 8252 would have it. */
const KNOWN_SCHEMES = new Set(['claude:', 'cursor:', 'raycast:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether people may be led there at all. Only schemes that can not run anything in our own page: https, http to the person's own
 * machine, and those that belong to a program.
 */
export function isRedirectUri(text: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('#') || text.includes('\\') || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) return false;
  if (protocol === 'https:') return hostname !== '';
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return KNOWN_SCHEMES.has(protocol) || /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/.test(protocol);
}

/** Letter by letter; a program that listens on loopback takes whatever port is free (RFC 8252, 7.3). */
export function isRegistered(registered: readonly string[], given: string): boolean {
  if (!isRedirectUri(given)) return false;
  return registered.some((each) => each === given || (isLoopback(each) && withoutPort(each) === withoutPort(given)));
}

const isLoopback = (uri: string) => new URL(uri).protocol === 'http:';
const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:\[::1\]|[^/?:]+))(?::\d{1,5})?(?=[/?]|$)/i, '$1');

/** What people are told of where they are led. */
export function destinationOf(uri: string): string {
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'https:') return hostname;
  return protocol === 'http:' ? 'a program on this computer' : `the program for ${protocol}//`;
}
