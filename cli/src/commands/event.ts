import type { Command } from 'commander';
import { type Event, each, events } from '../../../sdk/index.ts';
import type { Cli } from '../cli.ts';
import { ago } from '../screen.ts';
import { follow } from '../work.ts';
import { type GetCli, given, type JsonFlag, limitOf, take, withJson } from './shared.ts';

interface Flags extends JsonFlag {
  follow?: boolean;
  site?: string;
  limit: string;
}

export function build(command: Command, getCli: GetCli): void {
  withJson(command)
    .argument('[id]', 'one event: how far its work is, or how it ended')
    .option('-f, --follow', 'go on with what happens; with an id, until its work has ended')
    .option('--site <site>', 'only what happened to this site')
    .option('-L, --limit <number>', 'how many at most', '20')
    .action(async (id: string | undefined, flags: Flags) => {
      const cli = await getCli();
      if (id !== undefined) return showOne(cli, id, flags);
      const fqdn = flags.site && (await cli.siteName(flags.site));
      if (flags.follow) return showAll(cli, fqdn || undefined, flags);
      const { isTerminal } = cli.screen;
      cli.screen.list(
        await take(each(cli.client.listEvents, { query: given({ fqdn: fqdn || undefined }) }), limitOf(flags)),
        {
          Time: ({ created_at }) => ago(created_at, isTerminal),
          State: stateOf,
          What: ({ activity }) => activity,
          Id: ({ id: eventId }) => eventId,
        },
        { json: flags.json, empty: 'Nothing has happened yet.' },
      );
    });
}

async function showOne(cli: Cli, id: string, flags: Flags): Promise<void> {
  const event = await cli.client.getEvent({ params: { event_id: id } });
  const isOpen = event.finished_at === null;
  const last = flags.follow && isOpen ? await follow(cli, event.activity, id) : event;
  cli.screen.show(
    last,
    {
      What: ({ activity }) => activity,
      State: stateOf,
      Why: ({ description }) => description ?? '',
      Site: ({ fqdn }) => fqdn ?? '',
      By: ({ user }) => user?.full_name ?? '',
      Began: ({ created_at }) => created_at,
      Ended: ({ finished_at }) => finished_at ?? '',
    },
    flags,
  );
}

async function showAll({ client, screen }: Cli, fqdn: string | undefined, { json }: Flags): Promise<void> {
  if (screen.isTerminal && !json) screen.note(screen.paint('dim', 'Waiting for events; Ctrl-C ends it.'));
  for await (const event of events(client)) {
    if (fqdn !== undefined && event.fqdn !== fqdn) continue;
    if (json) screen.jsonLine(event);
    else
      screen.print(
        `${screen.paint('dim', event.created_at)} ${stateOf(event)} ${event.activity}${event.description ? `: ${event.description}` : ''}`,
      );
  }
}

function stateOf({ finished_at, detail }: Event): string {
  if (finished_at === null) return 'running';
  return detail.failure === undefined ? 'done' : 'failed';
}
