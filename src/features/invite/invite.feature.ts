import { feature } from '../feature.ts';
import { mailInvite } from './invite.jobs.ts';
import { inviteOperations } from './invite.routes.ts';
import { deleteOldSends } from './invite-send.sql.ts';
import { peopleOperations } from './people.routes.ts';

export const inviteFeature = feature({
  name: 'invite',
  operations: [...inviteOperations, ...peopleOperations],
  dueTimes: ['invite_sends.created_at'],
  jobs: [mailInvite],
  housekeeping: deleteOldSends,
});
