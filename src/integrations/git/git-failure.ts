import { GitFailed, type GitFailure } from '#core/git.ts';

/** Git has one exit code for everything, so here its words must do; they are always English (LC_ALL=C). */
const SIGNS: readonly [RegExp, GitFailure, string][] = [
  [
    /cannot run ssh|ssh: not found|unable to (?:find|fork) .*ssh/i,
    'not_configured',
    'ssh is not installed on the platform.',
  ],
  [/Remote branch .* not found/i, 'no_branch', 'There is no such branch.'],
  [
    /host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    'host_key',
    'The host shows another key than before.',
  ],
  [
    /could not read Username|Authentication failed|Permission denied|returned error: 40[13]|terminal prompts disabled|Invalid username or password/i,
    'needs_credentials',
    'The repository is not there, or not for everybody; link an account that may read it.',
  ],
  [
    /repository .*not found|returned error: 404|does not appear to be a git repository|not found: did you run git update-server-info|not valid: is this a git repository/i,
    'not_found',
    'There is no such repository.',
  ],
  [
    /could not resolve|couldn't connect|failed to connect|connection (?:refused|timed out|reset|closed)|no route to host|network is unreachable|timed out|SSL|TLS|certificate|returned error: 5\d\d|CONNECT tunnel failed|unexpectedly closed|hung up|empty reply/i,
    'unreachable',
    'The host could not be reached.',
  ],
];

export function explainFailure(
  stderr: string,
  connection: { isRefused: boolean; message: string } | undefined,
): GitFailed {
  if (connection) return new GitFailed(connection.isRefused ? 'refused' : 'unreachable', connection.message);
  const [, reason, message] = SIGNS.find(([sign]) => sign.test(stderr)) ?? [
    undefined,
    'failed' as const,
    'Git could not read the repository.',
  ];
  return new GitFailed(reason, message);
}
