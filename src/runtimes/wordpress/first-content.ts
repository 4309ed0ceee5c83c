import type { FirstContent, SqlValue } from '#runtimes/runtime.ts';

type Run = (sql: string, ...values: SqlValue[]) => unknown;

/** Makes a copy of the prepared image the site of whoever asked for it. Runs inside of one transaction. */
export function writeFirstContent(run: Run, first: FirstContent, now: Date): void {
  writeFirstPerson(run, 1, first, now);
  const moment = momentOf(now);
  const dates = 'post_date = ?, post_date_gmt = ?, post_modified = ?, post_modified_gmt = ?';
  run(`update wp_posts set ${dates}`, moment, moment, moment, moment);
  run('update wp_comments set comment_date = ?, comment_date_gmt = ?', moment, moment);
}

/** The site's title, and whose site it is: this user becomes that person. */
export function writeFirstPerson(run: Run, userId: number, { title, admin }: FirstContent, now: Date): void {
  const options = { blogname: escapeHtml(title), admin_email: admin.email, new_admin_email: admin.email };
  for (const [name, value] of Object.entries(options)) {
    run('update wp_options set option_value = ? where option_name = ?', value, name);
  }
  run(
    `update wp_users set user_login = ?, user_pass = ?, user_email = ?, user_nicename = ?, display_name = ?, user_registered = ?
     where ID = ?`,
    admin.username,
    admin.passwordHash,
    admin.email,
    toSlug(admin.username),
    `${admin.firstName} ${admin.lastName}`.trim(),
    momentOf(now),
    userId,
  );
  const meta = { first_name: admin.firstName, last_name: admin.lastName, nickname: admin.username };
  for (const [key, value] of Object.entries(meta)) {
    run('delete from wp_usermeta where user_id = ? and meta_key = ?', userId, key);
    run('insert into wp_usermeta (user_id, meta_key, meta_value) values (?, ?, ?)', userId, key, value);
  }
}

const momentOf = (now: Date) => now.toISOString().slice(0, 19).replace('T', ' ');

/** WordPress keeps the title as it stands in a page. */
function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] as string);
}

function toSlug(username: string): string {
  const slug = username
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug.slice(0, 50) || 'admin';
}
