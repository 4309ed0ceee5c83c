import { forbidden } from '#core/errors.ts';
import { type Access, boundToTeam, onTeam, requireUnbound, signedIn, teamNotFound } from '#core/policy.ts';
import { checkoutNotFound } from './billing.schema.ts';
import { type CheckoutRow, findCheckout } from './checkout.sql.ts';

/** The owner of the team that is upgraded; for a new team, anybody. The subject is the upgraded team's id. */
export const mayBuy: Access<string | undefined> = {
  who: 'team',
  rule: 'owner of for_team_id; anyone signed in, with no token bound to one team, for a new team',
  named: 'body',
  errors: [teamNotFound, forbidden, boundToTeam],
  find: async (_db, caller, { for_team_id }) => {
    if (typeof for_team_id === 'string') return onTeam(caller, for_team_id, 'owner');
    requireUnbound(caller);
    return undefined;
  },
};

export const ownCheckout: Access<CheckoutRow> = {
  ...signedIn,
  rule: 'whoever began the checkout',
  named: 'path',
  errors: [checkoutNotFound],
  find: async (db, caller, { checkout_id }) => {
    const row = await findCheckout(db, String(checkout_id));
    // A token that is bound to one team knows nothing of what else its owner does.
    if (row?.user_id !== caller.userId || caller.credential.teamId !== null) throw checkoutNotFound();
    return row;
  },
};
