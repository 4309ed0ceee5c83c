import { type ReadResourceResult, type Resource, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { hasScope } from '#core/auth/caller.ts';
import { fit } from './fit.ts';
import { read, type Session } from './session.ts';

const SIZE = 50;
const JSON_TYPE = 'application/json';

interface Page<Item> {
  next: string | null;
  results: Item[];
}

/** What can be read, with the operation that answers for it. */
const KINDS = [
  {
    name: 'site',
    title: 'A site',
    description: 'Its state, addresses, plan and settings',
    template: 'siteyard://site/{fqdn}',
    pattern: /^siteyard:\/\/site\/([^/]+)$/,
    operation: 'getSite',
    input: (fqdn: string) => ({ params: { fqdn } }),
  },
  {
    name: 'backups',
    title: 'The backups of a site',
    description: 'The newest of them; any minute between two can be restored',
    template: 'siteyard://site/{fqdn}/backups',
    pattern: /^siteyard:\/\/site\/([^/]+)\/backups$/,
    operation: 'getBackups',
    input: (fqdn: string) => ({ params: { fqdn }, query: { number_to_fetch: SIZE } }),
  },
  {
    name: 'ticket',
    title: 'A support ticket',
    description: 'What was asked and answered',
    template: 'siteyard://ticket/{ticket_id}',
    pattern: /^siteyard:\/\/ticket\/([^/]+)$/,
    operation: 'getTicket',
    input: (ticket_id: string) => ({ params: { ticket_id } }),
  },
] as const;

export const resourceTemplates = KINDS.map(({ name, title, description, template }) => ({
  name,
  title,
  description,
  uriTemplate: template,
  mimeType: JSON_TYPE,
}));

/** Sites with their backups, page by page, then tickets. The cursor says of which, and which page. */
export async function listResources(
  session: Session,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const { kind, page } = parseCursor(cursor);
  if (kind === 'ticket') {
    const tickets = await read<Page<{ id: string; subject?: string }>>(session, 'listTickets', {
      query: { page, size: SIZE },
    });
    const resources = (tickets?.results ?? []).map(({ id, subject }) => ({
      uri: `siteyard://ticket/${id}`,
      name: `ticket ${id}`,
      title: subject ?? 'Ticket',
      mimeType: JSON_TYPE,
    }));
    return { resources, ...(tickets?.next && { nextCursor: `ticket-${page + 1}` }) };
  }
  const sites = await read<Page<{ fqdn: string }>>(session, 'listSites', { query: { page, size: SIZE } });
  const resources = (sites?.results ?? []).flatMap(({ fqdn }) => [
    { uri: `siteyard://site/${fqdn}`, name: fqdn, title: `The site ${fqdn}`, mimeType: JSON_TYPE },
    {
      uri: `siteyard://site/${fqdn}/backups`,
      name: `${fqdn} backups`,
      title: `Backups of ${fqdn}`,
      mimeType: JSON_TYPE,
    },
  ]);
  // Tickets are the account's; a token for one team sees none.
  const further = sites?.next ? `site-${page + 1}` : session.caller.credential.teamId === null ? 'ticket-1' : undefined;
  return { resources, ...(further && { nextCursor: further }) };
}

function parseCursor(cursor = 'site-1'): { kind: string; page: number } {
  const [, kind, page] = /^(site|ticket)-(\d{1,7})$/.exec(cursor) ?? [];
  return kind ? { kind, page: Number(page) } : { kind: 'site', page: 1 };
}

export async function readResource(session: Session, uri: string): Promise<ReadResourceResult> {
  for (const { pattern, operation, input } of KINDS) {
    const id = pattern.exec(uri)?.[1];
    if (id === undefined || !hasScope(session.caller, 'read')) continue;
    const found = await read<unknown>(session, operation, input(decode(id)));
    if (found === undefined) break;
    const { value, hint } = fit(found);
    const contents = [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }];
    return { contents, ...(hint !== undefined && { _meta: { 'siteyard/hint': hint } }) };
  }
  throw new ResourceNotFoundError(uri, 'There is no such resource, or you may not know of it.');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MOST_NAMES = 100;

/** Names that begin so, for whoever types one. */
export async function completeFqdn(session: Session, typed: string): Promise<{ values: string[]; hasMore: boolean }> {
  const start = typed.toLowerCase().slice(0, 253);
  const query = { size: MOST_NAMES, ...(start !== '' && { search: start }) };
  const sites = await read<Page<{ fqdn: string }>>(session, 'listSites', { query });
  const names = (sites?.results ?? []).map(({ fqdn }) => fqdn);
  return { values: names.filter((fqdn) => fqdn.startsWith(start)), hasMore: Boolean(sites?.next) };
}
