import { Type } from 'typebox';
import { operation, rawOperation, socketOperation } from '#core/http/operation.ts';
import { Empty } from '#core/http/schema.ts';
import { anyone, verified } from '#core/policy.ts';
import { siteBusy } from '#features/hold/hold.ts';
import { onSite, siteOrStage, stageMissing } from '#features/instance/instance.ts';
import { workingTeamErrors } from '#features/team/team.schema.ts';
import { lockWorkingTeam } from '#features/team/team.ts';
import { connectTerminal } from './terminal.connection.ts';
import {
  ForStage,
  NewTerminal,
  OpenTerminal,
  SitePath,
  SocketQuery,
  TerminalPath,
  TerminalTicket,
  terminalNotFound,
  ticketRefused,
  tooManyTerminals,
} from './terminal.schema.ts';
import {
  endOwnTerminal,
  issueTicket,
  listOwnTerminals,
  redeemTicket,
  requireOpenSite,
  requireTerminal,
  socketPath,
} from './terminal.ts';

const tag = 'sites';
/** A shell changes whatever it likes, so no token that only reads is enough for it, whatever the method. */
const atTerminal = { ...onSite('member'), scope: 'write' } as const;

export const terminalOperations = [
  operation({
    id: 'createTerminal',
    method: 'POST',
    path: '/site/{fqdn}/terminal',
    tag,
    summary: 'A ticket for a terminal in the sandbox of a site, good for one WebSocket within half a minute',
    access: verified(atTerminal),
    params: SitePath,
    body: NewTerminal,
    response: TerminalTicket,
    errors: [...workingTeamErrors, siteBusy, stageMissing, terminalNotFound, tooManyTerminals],
    async prepare({ db, services, caller, subject, body }) {
      const site = await siteOrStage(db, subject, body.for_stage);
      requireOpenSite(site);
      await requireTerminal(services, caller, site, body.session_id);
      return site;
    },
    async handle({ db, caller, subject, prepared: site, body }) {
      await lockWorkingTeam(db, site.team_id);
      const ticket = await issueTicket(db, caller, { site, sessionId: body.session_id });
      return { ...ticket, socket_path: socketPath(subject.fqdn) };
    },
  }),
  operation({
    id: 'listTerminals',
    method: 'GET',
    path: '/site/{fqdn}/terminal',
    tag,
    summary: 'The terminals of a site that you have open',
    access: atTerminal,
    params: SitePath,
    query: Type.Object(ForStage),
    response: Type.Array(OpenTerminal),
    errors: [stageMissing],
    handle: async ({ db, services, caller, subject, query }) =>
      listOwnTerminals(services, caller, await siteOrStage(db, subject, query.for_stage)),
  }),
  operation({
    id: 'endTerminal',
    method: 'DELETE',
    path: '/site/{fqdn}/terminal/{session_id}',
    tag,
    summary: 'End a terminal of yours, with all that runs in it',
    access: atTerminal,
    params: TerminalPath,
    query: Type.Object(ForStage),
    response: Empty,
    errors: [stageMissing, terminalNotFound],
    async prepare({ db, services, caller, subject, params, query }) {
      await endOwnTerminal(services, caller, await siteOrStage(db, subject, query.for_stage), params.session_id);
    },
    handle: async () => ({}),
  }),
  socketOperation({
    id: 'connectTerminal',
    method: 'GET',
    path: '/site/{fqdn}/terminal/socket',
    tag,
    summary: 'The WebSocket of a terminal, for whoever has a ticket (docs/decisions/0035)',
    access: anyone,
    params: SitePath,
    query: SocketQuery,
    errors: [ticketRefused],
    redeem: ({ services, params, query }) => redeemTicket(services, query.ticket, params.fqdn),
    connect: ({ services, caller, prepared, query: { columns = 80, rows = 24, from } }, upgrade) =>
      connectTerminal(services, caller, prepared, { columns, rows, from }, upgrade),
  }),
  rawOperation({
    id: 'getShellHtml',
    method: 'GET',
    path: '/site/{fqdn}/shell_html',
    tag,
    summary: 'A page with a terminal in the sandbox of a site',
    access: verified(atTerminal),
    params: SitePath,
    query: Type.Object(ForStage),
    produces: 'text/html',
    errors: [siteBusy, stageMissing],
    async serve({ db, services, caller, subject, query, authorization }, _request, reply) {
      const site = await siteOrStage(db, subject, query.for_stage);
      requireOpenSite(site);
      // A page that a program asked for has no session of its own: its ticket is in it.
      const isBearer = authorization !== undefined;
      const ticket = isBearer ? (await issueTicket(db, caller, { site, carriesOn: true })).ticket : null;
      const setting = { fqdn: subject.fqdn, for_stage: query.for_stage ?? false, name: site.fqdn, ticket };
      return services.frontEnd.sendTerminal(reply, setting);
    },
  }),
];
