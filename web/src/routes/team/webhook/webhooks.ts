import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery } from '#sdk';
import { api } from '../../../api/client.ts';
import { pageSize as size } from '../../../api/pages.ts';

/** Calls are made in the background, and no event tells of each. */
const lookAgainMs = 4_000;

export type WebhookParams = { team_id: string; webhook_id: string };
export const paramsOf = ({ team_id, id }: Webhook): WebhookParams => ({ team_id, webhook_id: id });

export const webhooksQuery = (team_id: string, page: number) =>
  queryOptions({
    queryKey: ['webhooks', team_id, 'list', page],
    queryFn: ({ signal }) => api.listWebhooks({ params: { team_id }, query: { page, size }, signal }),
    placeholderData: keepPreviousData,
  });

export const webhookQuery = (params: WebhookParams) =>
  queryOptions({
    queryKey: ['webhooks', params.team_id, params.webhook_id],
    queryFn: ({ signal }) => api.getWebhook({ params, signal }),
  });

export const deliveriesQuery = (params: WebhookParams, state: WebhookDelivery['state'] | undefined, page: number) =>
  queryOptions({
    queryKey: ['webhook-deliveries', params.webhook_id, 'list', state, page],
    queryFn: ({ signal }) =>
      api.listWebhookDeliveries({ params, query: { page, size, ...(state && { state }) }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: lookAgainMs,
  });

export const deliveryQuery = (params: WebhookParams, delivery_id: string) =>
  queryOptions({
    queryKey: ['webhook-deliveries', params.webhook_id, delivery_id],
    queryFn: ({ signal }) => api.getWebhookDelivery({ params: { ...params, delivery_id }, signal }),
    refetchInterval: lookAgainMs,
  });

export type EventName = Webhook['event_types'][number];
type Family = Extract<EventName, `${string}.*`>;

const familyLabels: Record<Family, string> = {
  'site.*': 'Sites',
  'stage.*': 'Staging',
  'backup.*': 'Backups',
  'restore.*': 'Restores',
  'software.*': 'Plugins, themes and versions',
  'git.*': 'Git',
  'domain.*': 'Domains',
  'external_path.*': 'External paths',
  'application_password.*': 'Application passwords',
  'template.*': 'Templates',
  'team.*': 'Team settings',
  'member.*': 'Members and invites',
  'billing.*': 'Plan and billing',
  'ticket.*': 'Tickets',
  'proposal.*': 'Proposals of the assistant',
  'webhook.*': 'Other webhooks',
};
export const families = Object.entries(familyLabels).map(([value, label]) => ({ value, label }));

export function eventsText({ event_types }: Webhook): string {
  if (event_types.length === 0) return 'Everything';
  return event_types.map((name) => familyLabels[name as Family] ?? name).join(', ');
}

export const hostOf = ({ url }: Webhook): string => new URL(url).host;

type Tone = 'accent' | 'warn' | 'danger' | 'neutral';

export function stateOf({ is_active, disabled_reason, failing_since }: Webhook): { label: string; tone: Tone } {
  if (disabled_reason) return { label: 'Switched off', tone: 'danger' };
  if (!is_active) return { label: 'Off', tone: 'neutral' };
  return failing_since ? { label: 'Failing', tone: 'warn' } : { label: 'On', tone: 'accent' };
}

export const switchedOffBecause: Record<NonNullable<Webhook['disabled_reason']>, string> = {
  gone: 'It answered 410, which says that it wants no more calls.',
  failing: 'It took no call for 5 days.',
  person_left: 'The person who set it up no longer manages the team.',
};

export const deliveryStates: Record<WebhookDelivery['state'], { label: string; tone: Tone }> = {
  waiting: { label: 'Waiting', tone: 'warn' },
  delivered: { label: 'Delivered', tone: 'accent' },
  failed: { label: 'Failed', tone: 'danger' },
};
