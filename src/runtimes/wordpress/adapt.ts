import type { Adaptation, SqlRow, SqlValue } from '#runtimes/runtime.ts';
import { removeCustomers } from './customers.ts';
import { writeFirstPerson } from './first-content.ts';

type Run = (sql: string, ...values: SqlValue[]) => SqlRow[];

/** A theme by its folder, and the one that it builds upon. */
export interface ChosenTheme {
  stylesheet: string;
  template: string;
}

/** Makes a database that comes from elsewhere the site's own. Runs inside of one transaction. */
export function adapt(run: Run, change: Adaptation, theme: ChosenTheme | undefined, now: Date): void {
  if (change.people === 'kept') keepPeople(run, change.email);
  else {
    // Also where a template was cleaned before: PHP of its own has run since.
    removeTriggers(run);
    removePeople(run);
    removeCustomers(run);
    removePassing(run);
    closeDoors(run);
  }
  if (change.people === 'first') writeFirstPerson(run, 1, change.first, now);
  if (theme) activateTheme(run, theme);
}

/** What the SQLite driver of WordPress makes for ON UPDATE CURRENT_TIMESTAMP; whatever else runs by itself was somebody's idea. */
const TIMESTAMP_TRIGGER =
  /^\s*CREATE TRIGGER `_wp_sqlite_[^`]+`\s+AFTER UPDATE ON `([^`]+)`\s+FOR EACH ROW\s+BEGIN\s+UPDATE `\1` SET `[^`]+` = CURRENT_TIMESTAMP WHERE rowid = NEW\.rowid;\s+END\s*$/;

function removeTriggers(run: Run): void {
  for (const { type, name, sql } of run("select type, name, sql from sqlite_master where type in ('trigger', 'view')"))
    if (!TIMESTAMP_TRIGGER.test(String(sql))) run(`drop ${type} "${String(name).replaceAll('"', '""')}"`);
}

const ADMINISTRATOR = 'a:1:{s:13:"administrator";b:1;}';

function removePeople(run: Run): void {
  run('delete from wp_usermeta');
  run('delete from wp_users');
  makeAdministrator(run, addPerson(run, ''));
  run('update wp_posts set post_author = 1 where post_author <> 0');
  run("update wp_comments set user_id = 0, comment_author_email = '', comment_author_IP = ''");
  run(
    "update wp_options set option_value = '' where option_name in ('admin_email', 'new_admin_email', 'mailserver_pass', 'mailserver_login')",
  );
}

function makeAdministrator(run: Run, userId: number): void {
  run("delete from wp_usermeta where user_id = ? and meta_key in ('wp_capabilities', 'wp_user_level')", userId);
  for (const [key, value] of Object.entries({ wp_capabilities: ADMINISTRATOR, wp_user_level: '10' }))
    run('insert into wp_usermeta (user_id, meta_key, meta_value) values (?, ?, ?)', userId, key, value);
}

/** Keys and whatever holds for a while only. */
const PASSING_OPTIONS = `option_name like '\\_transient\\_%' escape '\\' or option_name like '\\_site\\_transient\\_%' escape '\\'
  or option_name in ('recovery_keys', 'auth_key', 'auth_salt', 'logged_in_key', 'logged_in_salt', 'nonce_key', 'nonce_salt',
    'secure_auth_key', 'secure_auth_salt', 'secret_key', 'auto_updater.lock', 'core_updater.lock', 'adminhash')`;

function removePassing(run: Run): void {
  run(`delete from wp_options where ${PASSING_OPTIONS}`);
  run("delete from wp_postmeta where meta_key in ('_edit_lock', '_edit_last')");
}

/** Nobody gets in who was not asked: neither by signing up, nor by a key of somebody whose number is now another's. */
function closeDoors(run: Run): void {
  for (const [name, value] of Object.entries({ users_can_register: '0', default_role: 'subscriber' }))
    run('update wp_options set option_value = ? where option_name = ?', value, name);
  run("delete from wp_options where option_name in ('wp_mail_smtp', 'swpsmtp_options', 'postman_options')");
  const keys = run("select name from sqlite_master where type = 'table' and name like '%woocommerce_api_keys'");
  for (const { name } of keys) run(`delete from "${String(name).replaceAll('"', '""')}"`);
}

function activateTheme(run: Run, { stylesheet, template }: ChosenTheme): void {
  for (const [name, value] of Object.entries({ stylesheet, template, current_theme: '' }))
    run('update wp_options set option_value = ? where option_name = ?', value, name);
}

/** The platform signs people in as the first administrator, so there has to be one. */
function keepPeople(run: Run, email: string): void {
  // Whoever was signed in there is not signed in here.
  run("delete from wp_usermeta where meta_key = 'session_tokens'");
  run(`delete from wp_options where ${PASSING_OPTIONS}`);
  const administrators = run(
    `select u.ID from wp_users u join wp_usermeta m on m.user_id = u.ID
     where m.meta_key = 'wp_capabilities' and m.meta_value like '%"administrator";b:1;%' limit 1`,
  );
  if (administrators.length > 0) return;
  const [known] = run('select ID from wp_users where user_email = ? order by ID limit 1', email);
  makeAdministrator(run, known ? Number(known.ID) : addPerson(run, email));
}

/** Somebody who has no password, under a name that nobody has. */
function addPerson(run: Run, email: string): number {
  const [last] = run('select coalesce(max(ID), 0) as id from wp_users');
  const userId = Number(last?.id) + 1;
  const isTaken = run("select ID from wp_users where user_login = 'admin'").length > 0;
  const login = isTaken ? `admin-${userId}` : 'admin';
  run(
    `insert into wp_users (ID, user_login, user_pass, user_nicename, user_email, user_url, user_registered, user_activation_key, user_status, display_name)
     values (?, ?, '!', ?, ?, '', '0000-00-00 00:00:00', '', 0, ?)`,
    ...[userId, login, login, email, login],
  );
  return userId;
}
