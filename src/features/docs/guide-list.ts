/** The guides in the order in which somebody who is new here would read them: file names of docs/guides, under what they are about. */
export const GUIDE_LIST: readonly { group: string; slugs: readonly string[] }[] = [
  { group: 'Start', slugs: ['first-site'] },
  { group: 'Change without fear', slugs: ['time-machine'] },
  { group: 'Automate', slugs: ['webhooks'] },
  { group: 'Operate', slugs: ['backup-format'] },
];
