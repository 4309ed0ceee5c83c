import type { Command } from 'commander';
import { each } from '../../../sdk/index.ts';
import { askText, choose, confirmByName } from '../ask.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  limitOf,
  limitOption,
  sub,
  take,
  type WorkFlags,
  withJson,
  withNoWait,
  withYes,
  type YesFlag,
} from './shared.ts';

const TAGS = ['business', 'blog', 'portfolio', 'other'] as const;
type Tag = (typeof TAGS)[number];

interface Wish {
  description?: string;
  tag?: Tag;
  public?: boolean;
}

export function build(template: Command, getCli: GetCli): void {
  withJson(sub(template, 'list', 'What sites can begin with').alias('ls'))
    .option(...limitOption)
    .action(async ({ json, limit }: JsonFlag & { limit: string }) => {
      const cli = await getCli();
      cli.screen.list(
        await take(each(cli.client.listTemplates), limitOf({ limit })),
        {
          Name: ({ name }) => name,
          Tag: ({ tag }) => tag,
          Ready: ({ ready }) => (ready ? 'yes' : 'no'),
          Description: ({ description }) => description,
        },
        { json, empty: 'No templates.' },
      );
    });

  withJson(sub(template, 'show', 'One template').argument('<name>')).action(
    async (name: string, { json }: JsonFlag) => {
      const cli = await getCli();
      cli.screen.show(
        await cli.client.getTemplate({ params: { template_name: name } }),
        {
          Name: (found) => found.name,
          Description: ({ description }) => description,
          Tag: ({ tag }) => tag,
          Source: ({ url }) => url,
          Public: ({ is_public, approved }) => (is_public ? (approved ? 'yes' : 'not approved yet') : 'no'),
          Ready: ({ ready }) => (ready ? 'yes' : 'no'),
          Demo: ({ demo_url }) => demo_url ?? '',
        },
        { json },
      );
    },
  );

  withNoWait(withJson(sub(template, 'create', 'Make a template of a site or of a repository with an archive')))
    .option('--from-site <site>', 'of this site of yours')
    .option('--url <url>', 'of this Git repository, which holds an archive of a site')
    .option('--description <text>', 'a sentence about it')
    .option('--tag <tag>', TAGS.join(', '))
    .option('--public', 'for everybody, once an operator has approved it')
    .action(async (flags: Wish & JsonFlag & WorkFlags & { fromSite?: string; url?: string }) => {
      const cli = await getCli();
      const fqdn = flags.fromSite && (await cli.siteName(flags.fromSite));
      const url =
        flags.url ??
        (fqdn
          ? cli.siteAddress(fqdn)
          : await askText(cli, 'Which repository?', { advice: 'Name it with --url, or a site with --from-site.' }));
      const description =
        flags.description ?? (await askText(cli, 'What is it for?', { advice: 'Say it with --description.' }));
      const tag =
        flags.tag ??
        (await choose(
          cli,
          'What kind?',
          TAGS.map((value) => ({ value, label: value })),
          `Say it with --tag: ${TAGS.join(', ')}.`,
        ));
      const { answer } = await runWork(cli, 'Making the template', flags, cli.client.createTemplate, {
        body: { description, tag, url, is_public: flags.public ?? false, ...(fqdn && { fqdn }) },
      });
      if (flags.json) return cli.screen.json(answer, flags.json);
      cli.screen.done(
        `The template is called ${answer.name}. Begin with it: siteyard site create --template ${answer.name}`,
      );
    });

  withNoWait(sub(template, 'update', 'Change a template').argument('<name>'))
    .option('--description <text>', 'a sentence about it')
    .option('--tag <tag>', TAGS.join(', '))
    .option('--public', 'for everybody')
    .option('--no-public', 'for you alone')
    .option('--from-git', 'take the archive from its repository anew')
    .action(async (name: string, flags: Wish & WorkFlags & { fromGit?: boolean }) => {
      const cli = await getCli();
      await runWork(cli, 'Changing the template', flags, cli.client.updateTemplate, {
        params: { template_name: name },
        query: given({ update_git: flags.fromGit }),
        body: given({ description: flags.description, tag: flags.tag, is_public: flags.public }),
      });
      cli.screen.done(`${name} is changed.`);
    });

  withYes(sub(template, 'delete', 'Delete a template').argument('<name>')).action(
    async (name: string, { yes }: YesFlag) => {
      const cli = await getCli();
      await cli.client.getTemplate({ params: { template_name: name } });
      await confirmByName(cli, `This deletes the template ${name}. Sites that began with it stay.`, name, yes);
      await cli.client.deleteTemplate({ params: { template_name: name } });
      cli.screen.done(`${name} is deleted.`);
    },
  );
}
