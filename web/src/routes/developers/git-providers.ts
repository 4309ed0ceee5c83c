import type { GitAccount } from '#sdk';

export type GitProvider = GitAccount['provider'];

export const providerLabels: Record<GitProvider, string> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea or Forgejo',
  ssh: 'SSH key',
};
