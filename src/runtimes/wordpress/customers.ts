import type { SqlRow, SqlValue } from '#runtimes/runtime.ts';

/**
 * What a site knows of people who have no account in it, or whose account is only one of the places that tell of them: orders, messages,
 * subscriptions. None of it is for whoever makes a site from a template.
 */
type Run = (sql: string, ...values: SqlValue[]) => SqlRow[];

/** Orders and their refunds, what came through forms, requests about personal data. */
const PERSONAL_POSTS = [
  ...['shop_order', 'shop_order_refund', 'shop_order_placehold', 'shop_subscription', 'shop_coupon_use', 'edd_payment'],
  ...['feedback', 'flamingo_inbound', 'flamingo_outbound', 'flamingo_contact', 'nf_sub', 'wpcf7s', 'jp_pay_order'],
  ...['user_request', 'customize_changeset', 'oembed_cache', 'mc4wp-log', 'give_payment', 'tribe_rsvp_attendees'],
];

/** Words in the names of tables that tell of people, whatever their prefix. */
const PERSONAL_TABLES =
  /(?:^|_)(?:orders?|order_(?:addresses|operational_data|stats|product_lookup|tax_lookup|coupon_lookup|items|itemmeta)|orders_meta|customers?|customer_lookup|customermeta|subscribers?|submissions?(?:_values|_actions_log)?|entries|entry_(?:fields|meta|notes)|entry|donors?|donormeta|download_permissions|download_log|sessions?|actionscheduler_(?:actions|logs)|login_attempts|activity_log|simple_history)$/i;

/** A column that has an address, by its name. */
const ADDRESS_COLUMN = /(?:^|_)(?:e?mail|email_address|ip|ip_address|phone|billing_email)$/i;
const OWN =
  /^wp_(?:posts|postmeta|comments|commentmeta|users|usermeta|options|terms|termmeta|term_taxonomy|term_relationships|links)$/i;

export function removeCustomers(run: Run): void {
  const types = PERSONAL_POSTS.map(() => '?').join(', ');
  const personal = `select ID from wp_posts where post_type in (${types})`;
  run(`delete from wp_comments where comment_post_ID in (${personal})`, ...PERSONAL_POSTS);
  run(`delete from wp_postmeta where post_id in (${personal})`, ...PERSONAL_POSTS);
  run(`delete from wp_posts where post_type in (${types})`, ...PERSONAL_POSTS);
  // What nobody has let through is seen by nobody but its author and whoever runs the site; whatever is kept beside a comment is the same.
  run("delete from wp_comments where comment_approved <> '1' or comment_type in ('order_note', 'action_log', 'note')");
  run("update wp_comments set comment_author_url = '', comment_agent = ''");
  run('delete from wp_commentmeta where comment_id not in (select comment_ID from wp_comments)');
  for (const { name } of run("select name from sqlite_master where type = 'table' and name like 'wp\\_%' escape '\\'"))
    if (!OWN.test(String(name))) removeRows(run, String(name));
}

/** Everything of a table that is about people; of another one, the rows that have somebody's address. */
function removeRows(run: Run, table: string): void {
  if (PERSONAL_TABLES.test(table)) run(`delete from ${quote(table)}`);
  else
    for (const { name } of run('select name from pragma_table_info(?)', table))
      if (ADDRESS_COLUMN.test(String(name)))
        run(`delete from ${quote(table)} where ${quote(String(name))} is not null and ${quote(String(name))} <> ''`);
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
