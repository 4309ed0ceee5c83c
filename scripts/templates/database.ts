import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ADDRESS, type DraftPage, type Finished, type SiteDraft } from './site.ts';

const THEME = 'twentytwentyfive';
const FOLDER = '2026/03';
const MADE_AT = '2026-03-01 09:00:00';

type Value = string | number | null;

/** The database of a draft as a dump: that of an empty site, with the draft's own rows in place of what an empty one has. */
export function dumpOf(draft: SiteDraft, imageFolder: string): string {
  const database = openCopy(imageFolder);
  for (const table of ['posts', 'postmeta', 'comments', 'commentmeta', 'users', 'usermeta', 'term_relationships'])
    database.exec(`delete from wp_${table}`);
  new Writer(database, draft).write();
  return writeDump(database);
}

function openCopy(imageFolder: string): DatabaseSync {
  const [newest] = readdirSync(imageFolder).sort().reverse();
  const source = new DatabaseSync(join(imageFolder, newest as string, 'database/.ht.sqlite'), { readOnly: true });
  const bytes = source.prepare('select name, sql from sqlite_master where sql is not null').all();
  const copy = new DatabaseSync(':memory:');
  for (const { name, sql } of bytes)
    if (/^(?:wp_|_wp_sqlite_mysql_information_schema_columns$)/.test(String(name)))
      copy.exec(
        String(sql)
          .replace(/^CREATE TABLE/i, 'CREATE TABLE IF NOT EXISTS')
          .replace(/^CREATE (UNIQUE )?INDEX/i, 'CREATE $1INDEX IF NOT EXISTS'),
      );
  for (const { name } of bytes) {
    if (!/^(?:wp_|_wp_sqlite_mysql_information_schema_columns$)/.test(String(name)) || !isTable(source, String(name)))
      continue;
    for (const row of source.prepare(`select * from "${name}"`).all())
      insert(copy, String(name), row as Record<string, Value>);
  }
  source.close();
  return copy;
}

const isTable = (database: DatabaseSync, name: string) =>
  database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(name) !== undefined;

function insert(database: DatabaseSync, table: string, row: Record<string, Value>): number {
  const names = Object.keys(row);
  const { lastInsertRowid } = database
    .prepare(
      `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map(() => '?').join(', ')})`,
    )
    .run(...Object.values(row));
  return Number(lastInsertRowid);
}

class Writer {
  readonly #database: DatabaseSync;
  readonly #draft: SiteDraft;
  readonly #pictures = new Map<string, number>();
  readonly #terms = new Map<string, number>();
  #menu = 0;

  constructor(database: DatabaseSync, draft: SiteDraft) {
    this.#database = database;
    this.#draft = draft;
  }

  write(): void {
    const { pictures, categories, pages, posts, templates, header, footer, menu, styles, front } = this.#draft;
    for (const { slug, alt, width, height } of pictures) this.#addPicture(slug, alt, width, height);
    for (const { slug, name, description } of categories) this.#term('category', slug, name, description);
    this.#menu = this.#post(
      'wp_navigation',
      'navigation',
      'Menu',
      menu
        .map(
          ({ label, page }) =>
            `<!-- wp:navigation-link ${JSON.stringify({ label, url: this.site.page(page), kind: 'custom' })} /-->`,
        )
        .join('\n'),
    );
    const ids = new Map(pages.map((page) => [page.slug, this.#addPage(page)]));
    for (const post of posts) {
      const more = {
        post_date: post.date,
        post_date_gmt: post.date,
        post_excerpt: post.excerpt,
        comment_status: 'open',
      };
      const id = this.#post('post', post.slug, post.title, post.content(this.site), more);
      this.#meta(id, '_thumbnail_id', String(this.#pictures.get(post.picture)));
      for (const slug of post.categories) this.#relate(id, this.#term('category', slug));
    }
    for (const [slug, content] of Object.entries(templates)) this.#themed('wp_template', slug, content(this.site));
    for (const [slug, content] of Object.entries({ header, footer }))
      this.#relate(
        this.#themed('wp_template_part', slug, content(this.site)),
        this.#term('wp_template_part_area', slug),
      );
    const global = { version: 3, isGlobalStylesUserThemeJSON: true, ...styles };
    this.#themed('wp_global_styles', `wp-global-styles-${THEME}`, JSON.stringify(global), 'Custom Styles');
    this.#setOptions(
      front && { page_on_front: ids.get(front.page) as number, page_for_posts: ids.get(front.posts ?? '') ?? 0 },
    );
    this.#countTerms();
  }

  get site(): Finished {
    return {
      picture: (slug) => {
        const found = this.#draft.pictures.find((each) => each.slug === slug);
        if (!found) throw new Error(`there is no picture ${slug}`);
        return {
          id: this.#pictures.get(slug) as number,
          url: `${ADDRESS}/wp-content/uploads/${FOLDER}/${slug}.webp`,
          alt: found.alt,
        };
      },
      page: (slug) => `${ADDRESS}/${slug === '' ? '' : `${slug}/`}`,
      menu: this.#menu,
    };
  }

  #post(type: string, name: string, title: string, content: string, more: Record<string, Value> = {}): number {
    const dates = Object.fromEntries(
      ['post_date', 'post_date_gmt', 'post_modified', 'post_modified_gmt'].map((column) => [column, MADE_AT]),
    );
    const empty = Object.fromEntries(
      ['post_excerpt', 'post_password', 'to_ping', 'pinged', 'post_content_filtered', 'post_mime_type'].map(
        (column) => [column, ''],
      ),
    );
    const rest = {
      post_status: 'publish',
      comment_status: 'closed',
      ping_status: 'closed',
      post_parent: 0,
      menu_order: 0,
      comment_count: 0,
    };
    const id = insert(this.#database, 'wp_posts', {
      post_author: 1,
      ...dates,
      ...empty,
      ...rest,
      post_type: type,
      post_name: name,
      post_title: title,
      post_content: content,
      guid: '',
      ...more,
    });
    this.#database.prepare('update wp_posts set guid = ? where ID = ?').run(`${ADDRESS}/?p=${id}`, id);
    return id;
  }

  #meta(post: number, key: string, value: string): void {
    insert(this.#database, 'wp_postmeta', { post_id: post, meta_key: key, meta_value: value });
  }

  #addPicture(slug: string, alt: string, width: number, height: number): void {
    const file = `${FOLDER}/${slug}.webp`;
    const id = this.#post('attachment', slug, alt || slug, '', {
      post_status: 'inherit',
      post_mime_type: 'image/webp',
    });
    this.#database
      .prepare('update wp_posts set guid = ? where ID = ?')
      .run(`${ADDRESS}/wp-content/uploads/${file}`, id);
    this.#meta(id, '_wp_attached_file', file);
    this.#meta(
      id,
      '_wp_attachment_metadata',
      `a:4:{s:5:"width";i:${width};s:6:"height";i:${height};s:4:"file";s:${file.length}:"${file}";s:5:"sizes";a:0:{}}`,
    );
    if (alt !== '') this.#meta(id, '_wp_attachment_image_alt', alt);
    this.#pictures.set(slug, id);
  }

  #addPage({ slug, title, content, template }: DraftPage): number {
    const id = this.#post('page', slug, title, content(this.site));
    if (template) this.#meta(id, '_wp_page_template', template);
    return id;
  }

  #themed(type: string, slug: string, content: string, title = slug): number {
    const id = this.#post(type, slug, title, content);
    this.#relate(id, this.#term('wp_theme', THEME));
    return id;
  }

  /** The number of a term in its taxonomy, made where it is new. */
  #term(taxonomy: string, slug: string, name = slug, description = ''): number {
    const known = this.#terms.get(`${taxonomy} ${slug}`);
    if (known !== undefined) return known;
    const term_id = insert(this.#database, 'wp_terms', { name, slug, term_group: 0 });
    const made = insert(this.#database, 'wp_term_taxonomy', { term_id, taxonomy, description, parent: 0, count: 0 });
    this.#terms.set(`${taxonomy} ${slug}`, made);
    return made;
  }

  #relate(post: number, term: number): void {
    insert(this.#database, 'wp_term_relationships', { object_id: post, term_taxonomy_id: term, term_order: 0 });
  }

  #countTerms(): void {
    this.#database.exec(
      'update wp_term_taxonomy set count = (select count(*) from wp_term_relationships r where r.term_taxonomy_id = wp_term_taxonomy.term_taxonomy_id)',
    );
  }

  #setOptions(front: Record<string, number> | undefined): void {
    const options: Record<string, string | number> = {
      ...{ siteurl: ADDRESS, home: ADDRESS, blogname: this.#draft.title, blogdescription: this.#draft.tagline },
      ...{ admin_email: '', fresh_site: '0', wp_page_for_privacy_policy: '0', default_category: '1' },
      ...(front && { show_on_front: 'page', ...front }),
    };
    const update = this.#database.prepare('update wp_options set option_value = ? where option_name = ?');
    for (const [name, value] of Object.entries(options)) update.run(String(value), name);
    this.#database.exec(
      "delete from wp_options where option_name like '\\_transient%' escape '\\' or option_name in ('cron', 'recently_edited', 'rewrite_rules')",
    );
  }
}

function writeDump(database: DatabaseSync): string {
  const columns = database
    .prepare(
      'select TABLE_NAME as name, COLUMN_NAME as field, COLUMN_TYPE as type from _wp_sqlite_mysql_information_schema_columns order by TABLE_NAME, ORDINAL_POSITION',
    )
    .all() as { name: string; field: string; type: string }[];
  const tables = [...new Set(columns.map(({ name }) => name))].filter((name) => /^wp_/.test(name));
  const parts = tables.map((table) => {
    const own = columns.filter(({ name }) => name === table);
    const rows = database.prepare(`select * from "${table}" order by 1, 2`).all() as Record<string, Value>[];
    const fields = own.map(({ field, type }) => `  \`${field}\` ${type}`).join(',\n');
    const values = rows.map(
      (row) => `INSERT INTO \`${table}\` VALUES (${own.map(({ field }) => literal(row[field] ?? null)).join(',')});`,
    );
    return [`CREATE TABLE \`${table}\` (\n${fields}\n);`, ...values].join('\n');
  });
  return `SET NAMES utf8mb4;\n${parts.join('\n')}\n`;
}

function literal(value: Value): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'string') return String(value);
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `'${escaped}'`;
}
