import type { Event, User } from '#sdk';

/** What people did themselves is no news to them. */
export function isUnread(event: Event, me: User): boolean {
  return event.unread && event.user_id !== me.id;
}
