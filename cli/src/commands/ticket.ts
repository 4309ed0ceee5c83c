import type { Command } from 'commander';
import { each, type Ticket } from '../../../sdk/index.ts';
import { askText, confirm } from '../ask.ts';
import { ago } from '../screen.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  limitOf,
  limitOption,
  sub,
  type TeamFlag,
  take,
  withJson,
  withTeam,
  withYes,
  type YesFlag,
} from './shared.ts';

export function build(ticket: Command, getCli: GetCli): void {
  withTeam(withJson(sub(ticket, 'list', 'The tickets of a team').alias('ls')))
    .option(...limitOption)
    .action(async ({ json, team, limit }: JsonFlag & TeamFlag & { limit: string }) => {
      const cli = await getCli();
      const params = { team_id: (await cli.team(team)).id };
      const { isTerminal } = cli.screen;
      cli.screen.list(
        await take(each(cli.client.listTeamTickets, { params }), limitOf({ limit })),
        {
          Id: ({ id }) => id,
          State: stateOf,
          Subject: ({ subject }) => subject,
          Opened: ({ created_at }) => ago(created_at, isTerminal),
        },
        { json, empty: 'No tickets.' },
      );
    });

  withJson(sub(ticket, 'show', 'A ticket and its replies').argument('<id>')).action(
    async (id: string, { json }: JsonFlag) => {
      const cli = await getCli();
      const { screen } = cli;
      const found = await cli.client.getTicket({ params: { ticket_id: id } });
      if (json) return screen.json(found, json);
      const replies = await take(each(cli.client.listReplies, { params: { ticket_id: id } }), 1_000);
      screen.print(`${screen.paint('bold', found.subject)} (${stateOf(found)})`);
      const messages = [found, ...replies].sort((a, b) => a.created_at.localeCompare(b.created_at));
      for (const { user, created_at, description, ...more } of messages) {
        const who = 'assistant_message_id' in more && more.assistant_message_id ? 'Assistant' : user.full_name;
        screen.print(`\n${screen.paint('cyan', who)} ${screen.paint('dim', ago(created_at, screen.isTerminal))}`);
        if (description) screen.print(description);
      }
    },
  );

  withTeam(withJson(sub(ticket, 'create', 'Open a ticket')))
    .option('-s, --subject <text>', 'what it is about, in a few words')
    .option('-m, --message <text>', 'the whole question')
    .option('--category <category>', 'what kind it is')
    .option('--site <site>', 'the site that it is about')
    .action(
      async (flags: JsonFlag & TeamFlag & { subject?: string; message?: string; category?: string; site?: string }) => {
        const cli = await getCli();
        const subject =
          flags.subject ?? (await askText(cli, 'What is it about?', { advice: 'Say it with --subject.' }));
        const description =
          flags.message ??
          (await askText(cli, 'What happened, and what did you expect?', { advice: 'Say it with --message.' }));
        const site = flags.site && (await cli.client.getSite({ params: { fqdn: await cli.siteName(flags.site) } }));
        const team_id = site ? site.team_id : (await cli.team(flags.team)).id;
        const made = await cli.client.createTicket({
          body: {
            team_id,
            subject,
            description,
            ...given({ category: flags.category }),
            ...(site && { site_live_id: site.id }),
          },
        });
        if (flags.json) return cli.screen.json(made, flags.json);
        cli.screen.done(`The ticket is open: siteyard ticket show ${made.id}`);
      },
    );

  withJson(sub(ticket, 'reply', 'Reply to a ticket').argument('<id>'))
    .option('-m, --message <text>', 'what you say')
    .option('--assistant', 'ask the assistant')
    .option('--resolve', 'and close it')
    .action(async (id: string, flags: JsonFlag & { message?: string; assistant?: boolean; resolve?: boolean }) => {
      const cli = await getCli();
      const description =
        flags.message ??
        (flags.resolve ? undefined : await askText(cli, 'Your reply', { advice: 'Say it with --message.' }));
      const made = await cli.client.createReply({
        params: { ticket_id: id },
        body: given({ description, is_assistant_chat_message: flags.assistant, resolve: flags.resolve }),
      });
      if (flags.json) return cli.screen.json(made, flags.json);
      cli.screen.done(flags.resolve ? 'Closed.' : 'Sent.');
    });

  withYes(sub(ticket, 'delete', 'Delete a ticket with its replies').argument('<id>')).action(
    async (id: string, { yes }: YesFlag) => {
      const cli = await getCli();
      const { subject } = await cli.client.getTicket({ params: { ticket_id: id } });
      await confirm(cli, `Delete “${subject}” for good?`, yes);
      await cli.client.deleteTicket({ params: { ticket_id: id } });
      cli.screen.done('The ticket is deleted.');
    },
  );
}

const stateOf = ({ resolved }: Ticket) => (resolved ? 'resolved' : 'open');
