import type { Command } from 'commander';
import { askText, readInput } from '../ask.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  sub,
  type TeamFlag,
  type WorkFlags,
  withJson,
  withNoWait,
  withTeam,
} from './shared.ts';

interface Flags extends JsonFlag, TeamFlag, WorkFlags {
  title?: string;
  template?: string;
  region?: string;
  git?: string;
  free?: boolean;
  adminUser?: string;
  adminEmail?: string;
  adminPasswordStdin?: boolean;
}

export function buildCreate(site: Command, getCli: GetCli): void {
  withNoWait(withJson(withTeam(sub(site, 'create', 'Make a site'))))
    .argument('[name]', 'what it is called: blog, or blog.example.com')
    .option('--title <title>', 'what stands on its pages')
    .option('--template <template>', 'begin with a template: `siteyard template list`')
    .option('--git <url>', 'follow this repository')
    .option('--region <region>', 'where it is hosted')
    .option('--free', 'on the free plan')
    .option('--admin-user <name>', 'who may sign in to it; otherwise the first part of your address')
    .option('--admin-email <address>', 'otherwise yours')
    .option('--admin-password-stdin', 'read the password from stdin; otherwise one is made and shown once')
    .action(async (given_name: string | undefined, flags: Flags) => {
      const cli = await getCli();
      const { client, screen } = cli;
      const advice = 'Name it: siteyard site create blog';
      const fqdn = await cli.siteName(
        given_name ?? (await askText(cli, 'What is it called?', { placeholder: 'blog', advice })),
      );
      const [me, team] = await Promise.all([client.getMe(), cli.team(flags.team)]);
      const email = flags.adminEmail ?? me.email;
      const username = flags.adminUser ?? (me.email.split('@')[0]?.replaceAll(/[^\w.-]/g, '') || 'admin');
      const isMade = !flags.adminPasswordStdin;
      const password = isMade
        ? (await import('node:crypto')).randomBytes(15).toString('base64url')
        : String(await readInput()).trimEnd();
      const { answer } = await runWork(cli, `Making ${fqdn}`, flags, client.createSite, {
        body: {
          fqdn,
          team_id: team.id,
          cms_blog_name: flags.title ?? titleOf(fqdn),
          cms_username: username,
          cms_email: email,
          cms_first_name: me.first_name || 'Site',
          cms_last_name: me.last_name || 'Owner',
          cms_password: password,
          ...given({
            template_name: flags.template,
            git_url: flags.git,
            region_name: flags.region,
            is_free: flags.free,
          }),
        },
      });
      const made = flags.wait === false ? answer : await client.getSite({ params: { fqdn: answer.fqdn } });
      screen.done(`${made.fqdn} ${flags.wait === false ? 'is being made' : 'is ready'}: ${cli.siteAddress(made.fqdn)}`);
      if (flags.json) {
        screen.json({ ...made, cms_username: username, ...(isMade && { cms_password: password }) }, flags.json);
        return;
      }
      screen.note(
        `Sign in as ${username}${isMade ? ` with ${password} (shown this once)` : ''}, or: siteyard site login ${made.fqdn}`,
      );
    });
}

const titleOf = (fqdn: string) => {
  const [label = fqdn] = fqdn.split('.');
  return label.charAt(0).toUpperCase() + label.slice(1);
};
