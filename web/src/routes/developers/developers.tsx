import { getRouteApi } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { DevelopersFrame } from '../../layout/developers-frame.tsx';
import { NotFound } from '../../layout/problem-pages.tsx';
import { ApiTokens } from './api-tokens.tsx';
import { GitAccounts } from './git-accounts.tsx';
import { SshKeys } from './ssh-keys.tsx';

const route = getRouteApi('/app/developers/$page');

const pages: Record<string, ComponentType> = { tokens: ApiTokens, git: GitAccounts, 'ssh-keys': SshKeys };

export function DevelopersPage() {
  const { page } = route.useParams();
  const Content = pages[page];
  if (!Content) return <NotFound />;
  return (
    <DevelopersFrame>
      <Content />
    </DevelopersFrame>
  );
}
