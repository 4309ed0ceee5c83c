/** What the two sides of a merge keep as they have it, and how people call what WordPress has in its tables. */
export function mergeRules(prefix: string) {
  const table = (name: string) => `${prefix}${name}`;
  return {
    // Work that is to be done, or was, by the site itself.
    ownTables: [`^${escapePattern(prefix)}actionscheduler_`],
    ownRows: [
      {
        table: table('options'),
        column: 'option_name',
        pattern:
          '^(?:cron|_transient_.*|_site_transient_.*|_wp_session_.*|recovery_keys|recovery_mode_email_last_sent|auto_updater\\.lock|core_updater\\.lock|doing_cron)$',
      },
      {
        table: table('usermeta'),
        column: 'meta_key',
        pattern:
          '^(?:session_tokens|community-events-location|.*_dashboard_quick_press_last_post_id|.*_user-settings(?:-time)?)$',
      },
      // Somebody has opened the editor, and no more.
      { table: table('posts'), column: 'post_status', pattern: '^auto-draft$' },
      // Or WordPress notes for itself which links of a post it has still to visit.
      { table: table('postmeta'), column: 'meta_key', pattern: '^(?:_edit_lock|_pingme|_encloseme)$' },
    ],
    // WordPress works out anew which address leads to what.
    remadeRows: [{ table: table('options'), column: 'option_name', pattern: '^rewrite_rules$' }],
    ownFiles: ['^(?:cache|upgrade|upgrade-temp-backup|wflogs)(?:/|$)', '^debug\\.log$'],
    // What the SQLite driver of WordPress keeps to itself: the schema as MySQL would tell it.
    describing: [{ tables: '^_(?:wp|mysql)_', column: 'TABLE_NAME' }],
    names: [{ table: table('options'), columns: ['option_name'] }],
    counts: [
      { table: table('posts'), column: 'comment_count' },
      { table: table('term_taxonomy'), column: 'count' },
    ],
    words: [
      { table: table('posts'), kind: 'post_type', titles: ['post_title', 'post_name'] },
      { table: table('comments'), kind: 'comment_type', titles: ['comment_author'] },
      { table: table('users'), titles: ['display_name', 'user_login'] },
      { table: table('terms'), titles: ['name'] },
      { table: table('options'), titles: ['option_name'] },
      { table: table('postmeta'), titles: ['meta_key'] },
      { table: table('usermeta'), titles: ['meta_key'] },
    ],
    folders: ['^(plugins/[^/]+)', '^(themes/[^/]+)', '^(uploads)/', '^(mu-plugins)/', '^(languages)/'],
  };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
