/** What people call what WordPress has in its tables and folders; whoever tells of changes takes the words from here. */

/** By table and kind: one and many. */
const NOUNS: Record<string, Record<string, [string, string]>> = {
  posts: {
    post: ['post', 'posts'],
    page: ['page', 'pages'],
    attachment: ['media file', 'media files'],
    shop_order: ['order', 'orders'],
    shop_order_refund: ['refund', 'refunds'],
    product: ['product', 'products'],
    product_variation: ['product variation', 'product variations'],
    nav_menu_item: ['menu item', 'menu items'],
    wp_template: ['template', 'templates'],
    wp_template_part: ['template part', 'template parts'],
    wp_global_styles: ['style', 'styles'],
    wp_navigation: ['menu', 'menus'],
    customize_changeset: ['change of the theme', 'changes of the theme'],
    oembed_cache: ['preview of a link', 'previews of links'],
  },
  comments: {
    '': ['comment', 'comments'],
    comment: ['comment', 'comments'],
    review: ['review', 'reviews'],
    order_note: ['order note', 'order notes'],
    pingback: ['pingback', 'pingbacks'],
    trackback: ['trackback', 'trackbacks'],
  },
  users: { '': ['user', 'users'] },
  terms: { '': ['category or tag', 'categories and tags'] },
  options: { '': ['setting', 'settings'] },
  postmeta: { '': ['field of a post', 'fields of posts'] },
  usermeta: { '': ['field of a user', 'fields of users'] },
  commentmeta: { '': ['field of a comment', 'fields of comments'] },
  termmeta: { '': ['field of a category', 'fields of categories'] },
  wc_orders: { '': ['order', 'orders'] },
};

/** Rows that only say how others belong together. */
const SILENT = new Set(['term_relationships', 'term_taxonomy']);
/** What WordPress keeps beside a post for itself: of the post it is told. */
const SILENT_POSTS = new Set(['revision']);

export function nounOf(
  { table, folder, kind }: { table: string | null; folder: string | null; kind: string | null },
  prefix: string,
): [string, string] | undefined {
  if (table === null) return folderNoun(folder ?? '');
  const name = table.startsWith(prefix) ? table.slice(prefix.length) : table;
  if (SILENT.has(name) || (name === 'posts' && SILENT_POSTS.has(kind ?? ''))) return undefined;
  const known = NOUNS[name]?.[kind ?? ''];
  if (known) return known;
  // A plugin's own kind of post is called what the plugin calls it.
  if (kind) return [`${kind} (${name})`, `${kind} (${name})`];
  return [`row of ${table}`, `rows of ${table}`];
}

function folderNoun(folder: string): [string, string] {
  const [, kind, name] = /^(plugin|theme)s\/(.+)$/.exec(folder) ?? [];
  if (kind) return [`file of the ${kind} ${name}`, `files of the ${kind} ${name}`];
  if (folder === 'uploads') return ['uploaded file', 'uploaded files'];
  return folder === '' ? ['file', 'files'] : [`file in ${folder}`, `files in ${folder}`];
}
