import { mergeRules } from './merge-rules.ts';

/** What people are told of the changes of a site of WordPress, and what is noise: transients, revisions, edit locks, what a visit leaves. */
export function tellRules(prefix: string) {
  const table = (name: string) => `${prefix}${name}`;
  const { ownRows, ownFiles, ownTables } = mergeRules(prefix);
  const silent = (name: string, column: string, pattern: string) => ({ table: table(name), column, pattern });
  return {
    rows: [
      {
        table: table('posts'),
        facts: ['post_type', 'post_status'],
        titles: ['post_title', 'post_name'],
        silentColumns: ['comment_count', 'to_ping', 'pinged'],
      },
      {
        table: table('comments'),
        facts: ['comment_type', 'comment_approved'],
        titles: ['comment_author'],
        silentColumns: ['comment_karma'],
      },
      {
        table: table('users'),
        facts: [],
        titles: ['display_name', 'user_login'],
        silentColumns: ['user_activation_key', 'user_status'],
      },
      { table: table('terms'), facts: [], titles: ['name'], silentColumns: [] },
      { table: table('wc_orders'), facts: ['type', 'status'], titles: [], silentColumns: [] },
      { table: table('postmeta'), facts: [], titles: ['meta_key'], silentColumns: [] },
      {
        table: table('options'),
        facts: ['option_name'],
        titles: ['option_name'],
        silentColumns: ['autoload', 'option_id'],
        // All others may be secrets.
        value: { column: 'option_value', pattern: '^(?:active_plugins|stylesheet|blogname)$' },
      },
    ],
    named: [
      // The folder of a plugin, or its file where it is no more than that.
      { fact: 'active_plugins', pattern: '"([^"/]{1,100})(?:/[^"]{1,100})?"', folder: 'plugins/*' },
      { fact: 'stylesheet', pattern: '^([^/]{1,100})$', folder: 'themes/*' },
    ],
    silentRows: [
      ...ownRows,
      silent('posts', 'post_type', '^(?:revision|customize_changeset|oembed_cache|scheduled-action)$'),
      silent('comments', 'comment_approved', '^spam$'),
      silent('postmeta', 'meta_key', '^(?:_edit_last|_wp_old_slug|_wp_desired_post_slug)$'),
      silent(
        'options',
        'option_name',
        '^(?:rewrite_rules|siteurl|home|fresh_site|can_compress_scripts|db_upgraded|db_version|initial_db_version|recently_activated|recently_edited|uninstall_plugins|https_detection_errors|finished_.*|auto_core_update_.*|auto_plugin_theme_update_emails|.*_lock|action_scheduler_.*|schema-ActionScheduler.*|user_count|wp_calendar_block_has_published_posts|wp_attachment_pages_enabled|template|.*_children|_split_terms|new_admin_email|adminhash)$',
      ),
    ],
    silentTables: ownTables,
    silentFiles: [...ownFiles, '^index\\.php$', '^uploads/wc-logs/'],
    folders: ['^(plugins/[^/]+)', '^(themes/[^/]+)', '^(uploads)/', '^(mu-plugins)/', '^(languages)/'],
    labels: [
      { folder: '^plugins/', files: '\\.php$', fields: ['Plugin Name', 'Version'] },
      { folder: '^themes/', files: '^style\\.css$', fields: ['Theme Name', 'Version'] },
    ],
  };
}
