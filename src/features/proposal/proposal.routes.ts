import { Type } from 'typebox';
import { roleOnMatter } from '#core/auth/caller.ts';
import { recordEvent } from '#core/events/events.ts';
import { callOf } from '#core/http/catalogue.ts';
import { operation } from '#core/http/operation.ts';
import { PageOf, PageQuery, Uuid } from '#core/http/schema.ts';
import { type Access, planning, signedIn } from '#core/policy.ts';
import { callProposed } from './proposal.jobs.ts';
import {
  cannotPropose,
  NewProposal,
  Proposal,
  ProposalSummary,
  proposalNotFound,
  proposalNotOpen,
} from './proposal.schema.ts';
import { decideProposal, findProposal, listProposals, type ProposalRow } from './proposal.sql.ts';
import { draftProposal, requireProposable, storeProposal, summarizeProposal, viewProposal } from './proposal.ts';

const tag = 'proposals';
const params = Type.Object({ proposal_id: Uuid });

const onOwnProposal: Access<ProposalRow> = {
  who: 'user',
  rule: 'whoever asked for it',
  named: 'path',
  errors: [proposalNotFound],
  async find(db, caller, input) {
    const row = await findProposal(db, String(input.proposal_id));
    if (row?.user_id !== caller.userId) throw proposalNotFound();
    // Of a team that they have left they know nothing any more; a token that is bound to one knows of no other.
    const { team_id, site_id } = row;
    const isReached =
      team_id === null ? caller.credential.teamId === null : roleOnMatter(caller, { team_id, site_id }) !== undefined;
    if (!isReached) throw proposalNotFound();
    return row;
  },
};

export const proposalOperations = [
  operation({
    id: 'listProposals',
    method: 'GET',
    path: '/proposal',
    tag,
    summary: 'The calls that were proposed to you, newest first',
    access: signedIn,
    query: Type.Object(PageQuery),
    response: PageOf(ProposalSummary),
    async handle({ db, services, caller, query, page }) {
      const { userId, roles, siteRoles, credential } = caller;
      const reached = { userId, teamIds: [...roles.keys()], sites: siteRoles };
      const { count, rows } = await listProposals(db, { ...reached, withoutTeam: credential.teamId === null }, query);
      return page(
        query,
        count,
        rows.map((row) => summarizeProposal(services, row)),
      );
    },
  }),
  operation({
    id: 'createProposal',
    method: 'POST',
    path: '/proposal',
    tag,
    summary: 'Propose a call to yourself: see what it would do, and confirm it within an hour',
    access: planning(signedIn),
    body: NewProposal,
    response: Proposal,
    errors: [cannotPropose],
    async prepare({ services, caller, body, ip, gone }) {
      const input = callOf(requireProposable(services, body.operation), body.input ?? {});
      return draftProposal(services, caller, { operation: body.operation, input, ip, source: 'api', signal: gone() });
    },
    handle: async ({ db, services, caller, prepared: draft }) =>
      viewProposal(services, caller, await storeProposal(db, draft, { source: 'api' })),
  }),
  operation({
    id: 'getProposal',
    method: 'GET',
    path: '/proposal/{proposal_id}',
    tag,
    summary: 'One proposal, with how its call ended',
    access: onOwnProposal,
    params,
    response: Proposal,
    handle: async ({ services, caller, subject }) => viewProposal(services, caller, subject),
  }),
  operation({
    id: 'confirmProposal',
    method: 'POST',
    path: '/proposal/{proposal_id}/confirm',
    tag,
    summary: 'Let the proposed call be made, in your name and with the rights that you have now',
    access: onOwnProposal,
    params,
    response: Proposal,
    errors: [proposalNotOpen],
    goesOn: true,
    async handle(call) {
      const { db, services, caller, subject, ip } = call;
      const decision = { state: 'confirmed', confirmedWith: caller.credential.id } as const;
      const row = await decideProposal(db, subject.id, decision);
      if (!row) throw proposalNotOpen();
      const eventId = await recordEvent(db, {
        scope: row.team_id === null ? 'account' : 'team',
        event_type: 'proposal.confirmed',
        activity: `${caller.fullName} confirmed a proposal: ${services.operations.get(row.operation)?.summary ?? row.operation}`,
        by: caller,
        ...(row.team_id !== null && { team_id: row.team_id }),
        item_id: row.id,
        detail: { operation: row.operation },
        unfinished: true,
      });
      const payload = { proposalId: row.id, eventId, ip };
      await services.jobs.enqueue(db, callProposed, payload, row.id, row.team_id ?? row.user_id);
      call.headers['operation-id'] = eventId;
      return viewProposal(services, caller, row);
    },
    async reread({ db, services, caller }, { body }) {
      const row = await findProposal(db, body.id);
      return row ? viewProposal(services, caller, row) : body;
    },
  }),
  operation({
    id: 'refuseProposal',
    method: 'POST',
    path: '/proposal/{proposal_id}/refuse',
    tag,
    summary: 'Let the proposed call not be made',
    access: onOwnProposal,
    params,
    response: Proposal,
    errors: [proposalNotOpen],
    async handle({ db, services, caller, subject }) {
      const row = await decideProposal(db, subject.id, { state: 'refused', confirmedWith: null });
      if (!row) throw proposalNotOpen();
      return viewProposal(services, caller, row);
    },
  }),
];
