import type { FirstContent, SqlValue } from '#runtimes/runtime.ts';

/** Makes a copy of the prepared image the site of whoever asked for it. Runs inside of one transaction. */
export function writeFirstContent(
  run: (sql: string, ...values: SqlValue[]) => unknown,
  { title, admin }: FirstContent,
  now: Date,
): void {
  const moment = now.toISOString().slice(0, 19).replace('T', ' ');
  const options = { blogname: escapeHtml(title), admin_email: admin.email, new_admin_email: admin.email };
  for (const [name, value] of Object.entries(options)) {
    run('update wp_options set option_value = ? where option_name = ?', value, name);
  }
  run(
    `update wp_users set user_login = ?, user_pass = ?, user_email = ?, user_nicename = ?, display_name = ?, user_registered = ?
     where ID = 1`,
    admin.username,
    admin.passwordHash,
    admin.email,
    toSlug(admin.username),
    `${admin.firstName} ${admin.lastName}`.trim(),
    moment,
  );
  const meta = { first_name: admin.firstName, last_name: admin.lastName, nickname: admin.username };
  for (const [key, value] of Object.entries(meta)) {
    run('update wp_usermeta set meta_value = ? where user_id = 1 and meta_key = ?', value, key);
  }
  const dates = 'post_date = ?, post_date_gmt = ?, post_modified = ?, post_modified_gmt = ?';
  run(`update wp_posts set ${dates}`, moment, moment, moment, moment);
  run('update wp_comments set comment_date = ?, comment_date_gmt = ?', moment, moment);
}

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
