/** The guides in the order in which somebody who is new here would read them: file names of docs/guides, under what they are about. */
export const GUIDE_LIST: readonly { group: string; slugs: readonly string[] }[] = [
  { group: 'Start', slugs: ['first-site', 'domains', 'templates'] },
  { group: 'Change without fear', slugs: ['time-machine', 'staging', 'updates', 'git', 'shell-and-files'] },
  { group: 'Together', slugs: ['teams', 'account', 'billing', 'assistant'] },
  { group: 'Automate', slugs: ['api', 'sdk', 'command-line', 'mcp', 'webhooks'] },
  { group: 'Operate', slugs: ['production', 'backup-format'] },
];
