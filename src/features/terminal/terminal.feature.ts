import { feature } from '../feature.ts';
import { terminalOperations } from './terminal.routes.ts';
import { deleteOldTickets } from './terminal.sql.ts';

export const terminalFeature = feature({
  name: 'terminal',
  operations: terminalOperations,
  housekeeping: deleteOldTickets,
});
