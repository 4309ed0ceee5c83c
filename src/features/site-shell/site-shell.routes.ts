import { Type } from 'typebox';
import { operation } from '#core/http/operation.ts';
import { Fqdn } from '#core/http/schema.ts';
import { verified } from '#core/policy.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { markStorageStale, onSite, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import {
  backupFailed,
  ShellBody,
  ShellQuery,
  ShellResult,
  shellUnavailable,
  tooManyCommands,
} from './site-shell.schema.ts';
import { runShellCommand } from './site-shell.ts';

export const siteShellOperations = [
  operation({
    id: 'runSiteCommand',
    method: 'POST',
    path: '/site/{fqdn}/shell',
    tag: 'sites',
    summary: 'Run a bash command in the site’s own sandbox, such as `wp plugin list`; at most 120 seconds',
    access: verified(onSite('member')),
    assistant: true,
    // A command can do anything.
    effect: 'destroy',
    params: Type.Object({ fqdn: Fqdn }),
    query: ShellQuery,
    body: ShellBody,
    bodyLimitBytes: 4 * 1024 * 1024,
    response: ShellResult,
    errors: [...workingTeamErrors, siteBusy, stageMissing, tooManyCommands, shellUnavailable, backupFailed],
    changesElsewhere: () => true,
    prepare: (call) =>
      runShellCommand(
        call,
        call.subject,
        { ...call.query, ...call.body },
        call.body.cmd === undefined ? 'query' : 'body',
      ),
    async handle({ db, prepared: { site, result } }) {
      await markStorageStale(db, site.id);
      return result;
    },
  }),
];
