import { queryOptions } from '@tanstack/react-query';
import type { Template, User } from '#sdk';
import { api } from './client.ts';

/** Every template that the caller can see, also those that are not ready yet. */
export const visibleTemplatesQuery = queryOptions({
  queryKey: ['templates', 'visible'],
  queryFn: async ({ signal }) => (await api.listTemplates({ query: { size: 100 }, signal })).results,
  retry: false,
});

/** Those that sites can be made from. */
export const templatesQuery = queryOptions({
  ...visibleTemplatesQuery,
  select: (templates: Template[]) => templates.filter(({ ready }) => ready),
});

/** Templates that belong to the caller or their teams; the platform's own and other people's public ones do not. */
export function ownTemplates(templates: readonly Template[], me: Pick<User, 'id'>): Template[] {
  return templates.filter(
    ({ user_id, is_public, approved }) => user_id === me.id || (user_id !== null && !(is_public && approved)),
  );
}

/** Who can use a template now, and why not yet. */
export function templateState({ ready, is_public, approved }: Pick<Template, 'ready' | 'is_public' | 'approved'>): {
  label: string;
  tone: 'accent' | 'neutral' | 'warn';
} {
  if (!ready) return { label: 'Not ready yet', tone: 'warn' };
  if (!is_public) return { label: 'Private', tone: 'neutral' };
  return approved ? { label: 'Public', tone: 'accent' } : { label: 'Waiting for approval', tone: 'warn' };
}

export const TEMPLATE_TAGS = [
  { value: 'business', label: 'Business' },
  { value: 'blog', label: 'Blog' },
  { value: 'portfolio', label: 'Portfolio' },
  { value: 'other', label: 'Other' },
];
