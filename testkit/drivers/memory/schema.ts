import type { SqlRow, SqlValue } from '#runtimes/runtime.ts';
import { affinityOf, type Column } from '#runtimes/wordpress/dump/table.ts';
import type { TableChange } from '#runtimes/wordpress/dump/wordpress-tables.ts';

/** The tables of WordPress as they are in SQLite: what reads them elsewhere, such as the time machine, finds what it knows. */
const TEXT = "text collate nocase not null default ''";
const LONG = 'text collate nocase not null';
const DATE = "text collate nocase not null default '0000-00-00 00:00:00'";
const NUMBER = 'integer not null default 0';
const ID = 'integer not null primary key autoincrement';

const word = (value: string) => `text collate nocase not null default '${value}'`;
const metaOf = (owner: string, id = 'meta_id') => ({
  [id]: ID,
  [owner]: NUMBER,
  meta_key: 'text collate nocase',
  meta_value: 'text collate nocase',
});

const TABLES: Record<string, Record<string, string>> = {
  wp_users: {
    ID,
    user_login: TEXT,
    user_pass: TEXT,
    user_nicename: TEXT,
    user_email: TEXT,
    user_url: TEXT,
    user_registered: DATE,
    user_activation_key: TEXT,
    user_status: NUMBER,
    display_name: TEXT,
  },
  wp_usermeta: metaOf('user_id', 'umeta_id'),
  wp_termmeta: metaOf('term_id'),
  wp_terms: { term_id: ID, name: TEXT, slug: TEXT, term_group: NUMBER },
  wp_term_taxonomy: {
    term_taxonomy_id: ID,
    term_id: NUMBER,
    taxonomy: TEXT,
    description: LONG,
    parent: NUMBER,
    count: NUMBER,
  },
  wp_term_relationships: { object_id: NUMBER, term_taxonomy_id: NUMBER, term_order: NUMBER },
  wp_commentmeta: metaOf('comment_id'),
  wp_comments: {
    comment_ID: ID,
    comment_post_ID: NUMBER,
    comment_author: LONG,
    comment_author_email: TEXT,
    comment_author_url: TEXT,
    comment_author_IP: TEXT,
    comment_date: DATE,
    comment_date_gmt: DATE,
    comment_content: LONG,
    comment_karma: NUMBER,
    comment_approved: word('1'),
    comment_agent: TEXT,
    comment_type: word('comment'),
    comment_parent: NUMBER,
    user_id: NUMBER,
  },
  wp_links: {
    link_id: ID,
    link_url: TEXT,
    link_name: TEXT,
    link_image: TEXT,
    link_target: TEXT,
    link_description: TEXT,
    link_visible: word('Y'),
    link_owner: 'integer not null default 1',
    link_rating: NUMBER,
    link_updated: DATE,
    link_rel: TEXT,
    link_notes: LONG,
    link_rss: TEXT,
  },
  wp_options: { option_id: ID, option_name: TEXT, option_value: LONG, autoload: word('yes') },
  wp_postmeta: metaOf('post_id'),
  wp_posts: {
    ID,
    post_author: NUMBER,
    post_date: DATE,
    post_date_gmt: DATE,
    post_content: LONG,
    post_title: LONG,
    post_excerpt: LONG,
    post_status: word('publish'),
    comment_status: word('open'),
    ping_status: word('open'),
    post_password: TEXT,
    post_name: TEXT,
    to_ping: LONG,
    pinged: LONG,
    post_modified: DATE,
    post_modified_gmt: DATE,
    post_content_filtered: LONG,
    post_parent: NUMBER,
    guid: TEXT,
    menu_order: NUMBER,
    post_type: word('post'),
    post_mime_type: TEXT,
    comment_count: NUMBER,
  },
};

const PRIMARY_KEYS: Record<string, string> = { wp_term_relationships: 'object_id, term_taxonomy_id' };

const INDEXES = [
  'create unique index wp_options__option_name on wp_options (option_name)',
  'create index wp_usermeta__user_id on wp_usermeta (user_id)',
  'create index wp_postmeta__post_id on wp_postmeta (post_id)',
  'create index wp_posts__post_name on wp_posts (post_name)',
  'create index wp_posts__type_status_date on wp_posts (post_type, post_status, post_date, ID)',
];

export type RunSql = (sql: string, ...values: SqlValue[]) => SqlRow[];

/** An empty site at this address, before it gets its title and its administrator. */
export function writeEmptySite(run: RunSql, url: string, nowMs: number): void {
  for (const [table, columns] of Object.entries(TABLES)) {
    const key = PRIMARY_KEYS[table];
    const parts = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
    run(`create table ${table} (${[...parts, ...(key ? [`primary key (${key})`] : [])].join(', ')}) strict`);
  }
  for (const index of INDEXES) run(index);
  const options: Record<string, string> = {
    siteurl: url,
    home: url,
    blogname: '',
    blogdescription: '',
    admin_email: '',
    new_admin_email: '',
    permalink_structure: '/%postname%/',
    posts_per_page: '10',
    blog_public: '1',
    site_icon: '0',
    active_plugins: 'a:0:{}',
    template: 'memory',
    stylesheet: 'memory',
    [CRON_OPTION]: JSON.stringify([{ at: Math.floor(nowMs / 1000) + HALF_A_DAY, every: HALF_A_DAY }]),
  };
  for (const [name, value] of Object.entries(options))
    run('insert into wp_options (option_name, option_value) values (?, ?)', name, value);
  run("insert into wp_users (user_login) values ('')");
  const meta = { nickname: '', first_name: '', last_name: '', wp_capabilities: ADMINISTRATOR, wp_user_level: '10' };
  for (const [key, value] of Object.entries(meta))
    run('insert into wp_usermeta (user_id, meta_key, meta_value) values (1, ?, ?)', key, value);
  run("insert into wp_terms (name, slug) values ('Uncategorized', 'uncategorized')");
  run("insert into wp_term_taxonomy (term_id, taxonomy, description) values (1, 'category', '')");
  const post = [1, 'A first post', 'a-first-post', '<p>This site runs in memory.</p>', `${url}/?p=1`] as const;
  run(
    `insert into wp_posts (post_author, post_title, post_name, post_content, guid, post_excerpt, to_ping, pinged, post_content_filtered)
     values (?, ?, ?, ?, ?, '', '', '', '')`,
    ...post,
  );
}

/** Tables that a site brings along. */
export function writeTables(run: RunSql, changes: TableChange[]): void {
  const name = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const column = ({ name: of, type }: Column) => `${name(of)} ${affinityOf(type)}`;
  for (const change of changes) {
    if ('add' in change) run(`alter table ${name(change.table)} add column ${column(change.add)}`);
    else run(`create table ${name(change.create.name)} (${change.create.columns.map(column).join(', ')}) strict`);
  }
}

/** What WordPress keeps of somebody who may do everything. */
const ADMINISTRATOR = 'a:1:{s:13:"administrator";b:1;}';
/** The work that is due at some time, as JSON. */
export const CRON_OPTION = 'cron';
const HALF_A_DAY = 12 * 3600;
