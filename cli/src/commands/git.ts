import type { Command } from 'commander';
import { each } from '../../../sdk/index.ts';
import { askText, confirm } from '../ask.ts';
import { runWork } from '../work.ts';
import {
  type GetCli,
  given,
  type JsonFlag,
  limitOf,
  limitOption,
  SITE,
  type StageFlag,
  sub,
  take,
  type WorkFlags,
  withJson,
  withNoWait,
  withStage,
  withYes,
  type YesFlag,
} from './shared.ts';

export function build(git: Command, getCli: GetCli): void {
  withStage(withJson(sub(git, 'status', 'Which repository a site follows').argument('<site>', SITE))).action(
    async (name: string, { json, stage }: JsonFlag & StageFlag) => {
      const cli = await getCli();
      const link = await cli.client.getGitLink({ params: { fqdn: await cli.siteName(name) }, query: given({ stage }) });
      cli.screen.show(
        link,
        {
          Repository: ({ git_url }) => git_url,
          Branch: ({ branch }) => branch ?? '',
          Deployed: ({ last_sync_hash }) => last_sync_hash ?? 'nothing yet',
          Account: ({ account }) => account ?? '',
          Problem: ({ problem }) => problem ?? '',
          Hook: ({ hook_url }) => hook_url,
        },
        { json },
      );
    },
  );

  withNoWait(sub(git, 'link', 'Let a site follow a repository').argument('<site>', SITE))
    .argument('<url>', 'the address of the repository, with #branch where it is not the usual one')
    .action(async (name: string, url: string, flags: WorkFlags) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      await runWork(cli, `Deploying ${url}`, flags, cli.client.updateSite, {
        params: { fqdn },
        body: { git_url: url },
      });
      cli.screen.done(`${fqdn} follows ${url}.`);
    });

  withYes(sub(git, 'unlink', 'Let a site follow no repository; its files stay').argument('<site>', SITE)).action(
    async (name: string, { yes }: YesFlag) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      await confirm(cli, `${fqdn} would get no more deployments. Go on?`, yes);
      await cli.client.updateSite({ params: { fqdn }, body: { git_url: null } });
      cli.screen.done(`${fqdn} follows no repository.`);
    },
  );

  withNoWait(withStage(sub(git, 'sync', 'Deploy what the repository has now').argument('<site>', SITE))).action(
    async (name: string, { stage, ...flags }: StageFlag & WorkFlags) => {
      const cli = await getCli();
      const fqdn = await cli.siteName(name);
      const query = given({ stage });
      const { answer } = await runWork(cli, `Deploying to ${fqdn}`, flags, cli.client.syncGit, {
        params: { fqdn },
        query,
      });
      const link = flags.wait === false ? answer : await cli.client.getGitLink({ params: { fqdn }, query });
      cli.screen.done(`${fqdn} is at ${link.last_sync_hash?.slice(0, 12) ?? 'no commit'}.`);
    },
  );

  withStage(
    withJson(sub(git, 'changes', 'What a site changed since its last deployment').argument('<site>', SITE)),
  ).action(async (name: string, { json, stage }: JsonFlag & StageFlag) => {
    const cli = await getCli();
    const changes = await cli.client.getGitChanges({
      params: { fqdn: await cli.siteName(name) },
      query: given({ stage }),
    });
    if (json) return cli.screen.json(changes, json);
    const columns = { Change: ({ change }: { change: string }) => change, File: ({ path }: { path: string }) => path };
    cli.screen.list(changes.files, columns, { empty: 'Nothing changed.' });
  });

  withNoWait(withStage(withJson(sub(git, 'commit', 'Commit what a site changed to a branch').argument('<site>', SITE))))
    .option('-m, --message <text>', 'what the commit says')
    .option('-b, --branch <branch>', 'the branch that it goes to', 'siteyard-changes')
    .action(
      async (
        name: string,
        { stage, json, ...flags }: StageFlag & JsonFlag & WorkFlags & { message?: string; branch: string },
      ) => {
        const cli = await getCli();
        const fqdn = await cli.siteName(name);
        const message =
          flags.message ?? (await askText(cli, 'What does the commit say?', { advice: 'Say it with --message.' }));
        const { answer, event } = await runWork(cli, 'Committing', flags, cli.client.commitGitChanges, {
          params: { fqdn },
          query: given({ stage }),
          body: { branch: flags.branch, message },
        });
        const commit = { ...answer, ...((event?.detail.result ?? {}) as Partial<typeof answer>) };
        if (json) return cli.screen.json(commit, json);
        cli.screen.done(`Committed to ${commit.branch}${commit.hash ? ` as ${commit.hash.slice(0, 12)}` : ''}.`);
        if (commit.url) cli.screen.print(commit.url);
      },
    );

  withJson(sub(git, 'repos', 'Repositories of your Git accounts')).action(async ({ json }: JsonFlag) => {
    const cli = await getCli();
    const found = await cli.client.listGitSyncRepositories();
    cli.screen.list(
      found,
      {
        Repository: ({ git_url }) => git_url,
        Branch: ({ default_branch }) => default_branch ?? '',
        Sites: ({ linked_sites }) => linked_sites.join(', '),
      },
      { json, empty: 'No repositories. Link a Git account on your account page: siteyard open' },
    );
  });

  withJson(sub(git, 'accounts', 'Your Git accounts'))
    .option(...limitOption)
    .action(async ({ json, limit }: JsonFlag & { limit: string }) => {
      const cli = await getCli();
      cli.screen.list(
        await take(each(cli.client.listGitAccounts), limitOf({ limit })),
        {
          Provider: ({ provider }) => provider,
          Login: ({ login }) => login ?? '',
          Address: ({ base_url }) => base_url,
          Problem: ({ problem }) => problem ?? '',
        },
        { json, empty: 'No Git accounts. Link one on your account page: siteyard open' },
      );
    });
}
