import type { Site, User } from '#sdk';
import { atLeast, standing } from './roles.ts';
import { stateOf } from './sites.ts';

/** Why the caller can not do something to a site right now; undefined where they can. */
export type Obstacles = {
  /** Settings, sleep, external paths. */
  change: string | undefined;
  /** Renaming and deleting. */
  own: string | undefined;
  move: string | undefined;
  signIn: string | undefined;
};

export function obstaclesOf(site: Site, me: User): Obstacles {
  const { role, name, is_active, is_expired } = site.team;
  const as = standing(role, name);
  const busy =
    site.busy !== null
      ? `The site is busy (${stateOf(site).label.toLowerCase()}). Wait until that is done.`
      : undefined;
  const isMember = atLeast(role, 'member');
  const change = isMember ? busy : `${as}: members, admins and the owner can change this.`;
  const unconfirmed = me.is_verified ? undefined : 'To move the site, confirm your email address first.';
  const isOwn = isMember && site.created_by.id === me.id;
  return {
    change,
    own:
      atLeast(role, 'admin') || isOwn
        ? busy
        : `${as}: admins, the owner and the member who created the site can do this.`,
    move: atLeast(role, 'admin')
      ? (busy ?? unconfirmed)
      : `${as}: to move a site you must be an admin or the owner of both teams.`,
    signIn: change ?? (is_active && !is_expired ? undefined : `${name} is ${is_active ? 'unpaid' : 'suspended'}.`),
  };
}
