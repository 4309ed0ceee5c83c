import { feature } from '../feature.ts';
import { callProposed } from './proposal.jobs.ts';
import { proposalOperations } from './proposal.routes.ts';
import { deleteOldProposals } from './proposal.sql.ts';

export const proposalFeature = feature({
  name: 'proposal',
  operations: proposalOperations,
  jobs: [callProposed],
  housekeeping: deleteOldProposals,
});
