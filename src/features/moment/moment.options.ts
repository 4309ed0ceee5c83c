import type { ToldChanges, ToldRows } from '#timemachine/process/tell-rules.ts';
import { plain, quoted, type Told } from './moment.told.ts';

/** What people call the settings of WordPress, by the beginning of their names. */
const NAMES: [pattern: RegExp, name: string][] = [
  [/^blogdescription$/, 'Tagline'],
  [/^permalink_structure$|^category_base$|^tag_base$/, 'Permalinks'],
  [/^(?:show_on_front|page_on_front|page_for_posts)$/, 'Front page'],
  [/^(?:posts_per_page|posts_per_rss|rss_use_excerpt)$/, 'Reading settings'],
  [/^(?:users_can_register|default_role)$/, 'Registration'],
  [/^admin_email$/, 'Administration address'],
  [/^(?:timezone_string|gmt_offset|date_format|time_format|start_of_week)$/, 'Date and time'],
  [/^WPLANG$/, 'Language of the site'],
  [/^blog_public$/, 'Visibility to search engines'],
  [/^(?:sidebars_widgets$|widget_)/, 'Widgets'],
  [/^(?:theme_mods_|site_icon$|site_logo$)/, 'Look of the theme'],
  [/^nav_menu_options$/, 'Menus'],
  [
    /^(?:default_comment_status|comment_|comments_|moderation_|disallowed_keys|require_name_email|show_avatars|avatar_)/,
    'Discussion settings',
  ],
  [/^(?:thumbnail_|medium_|large_|uploads_use_)/, 'Media settings'],
  [/_user_roles$/, 'Roles'],
  [/^woocommerce_/, 'WooCommerce settings'],
];

export function tellOptions(options: readonly ToldRows[], { named: labels }: Pick<ToldChanges, 'named'>): Told[] {
  const named = new Map<string, number>();
  const told: Told[] = [];
  let others = 0;
  for (const rows of options) {
    const name = (rows.after ?? rows.before)?.option_name ?? '';
    const [was, is] = [rows.before?.option_value, rows.after?.option_value];
    if (name === 'active_plugins') told.push(...tellPlugins(listOf(was), listOf(is), labels));
    else if (name === 'stylesheet' && is !== undefined) told.push(tellTheme(is, labels));
    else if (name === 'blogname' && is !== undefined)
      told.push(setting('Title of the site', `Title of the site changed to ${quoted(is)}`, 1));
    else {
      const known = NAMES.find(([pattern]) => pattern.test(name))?.[1];
      if (known) named.set(known, (named.get(known) ?? 0) + rows.count);
      else others += rows.count;
    }
  }
  for (const [name, count] of named) told.push(setting(name, `${name} changed`, count));
  const rest = others === 1 ? '1 other setting' : `${others} other settings`;
  if (others > 0) told.push(setting(rest, `${rest} changed`, others));
  return told;
}

const setting = (what: string, text: string, count: number): Told => {
  return { kind: 'setting', change: 'changed', what, text, count };
};

/** The paths of a serialised list. Its numbers are not believed: what looks like a path of a plugin is one. */
const listOf = (text: string | undefined) =>
  [...(text ?? '').matchAll(/"([^"]{1,200}\.php)"/g)].map(([, path]) => path as string);

function tellPlugins(was: string[], is: string[], labels: ToldChanges['named']): Told[] {
  const tell = (paths: string[], verb: string): Told[] =>
    paths.slice(0, 10).map((path) => {
      const what = nameOf(`plugins/${path.split('/')[0]}`, 'Plugin Name', labels);
      return { kind: 'plugin', change: 'changed', count: 1, what, text: `${what} ${verb}` };
    });
  return [
    ...tell(
      is.filter((path) => !was.includes(path)),
      'activated',
    ),
    ...tell(
      was.filter((path) => !is.includes(path)),
      'deactivated',
    ),
  ];
}

function tellTheme(stylesheet: string, labels: ToldChanges['named']): Told {
  const name = nameOf(`themes/${stylesheet}`, 'Theme Name', labels);
  return { kind: 'theme', change: 'changed', count: 1, what: `Theme ${name}`, text: `Theme switched to ${name}` };
}

/** What it calls itself; else its folder, as a name. */
function nameOf(folder: string, field: string, labels: ToldChanges['named']): string {
  const known = labels.find((each) => each.folder === folder)?.label[field];
  const slug = folder.replace(/^[^/]+\//, '').replace(/\.php$/, '');
  return plain(known ?? slug.replaceAll(/[-_]+/g, ' ').replaceAll(/\b\p{Ll}/gu, (letter) => letter.toUpperCase()));
}
