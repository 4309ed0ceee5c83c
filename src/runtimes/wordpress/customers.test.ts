import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { SqlRow } from '#runtimes/runtime.ts';
import { removeCustomers } from './customers.ts';

test('what a site knows of its customers is gone, and what it shows to everybody stays', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    create table wp_posts (ID integer primary key, post_type text, post_title text);
    create table wp_postmeta (meta_id integer primary key, post_id integer, meta_key text, meta_value text);
    create table wp_comments (comment_ID integer primary key, comment_post_ID integer, comment_type text, comment_approved text,
      comment_author_url text, comment_agent text, comment_content text);
    create table wp_commentmeta (meta_id integer primary key, comment_id integer, meta_value text);
    create table wp_wc_orders (id integer primary key, billing_email text);
    create table wp_wc_customer_lookup (id integer primary key, email text);
    create table wp_booking_guests (id integer primary key, guest_email text, room text);
    create table wp_booking_rooms (id integer primary key, room text);
    create table wp_plugin_settings (id integer primary key, name text, email text);
    insert into wp_posts values (1, 'page', 'Home'), (2, 'shop_order', 'Order'), (3, 'product', 'A cup'), (4, 'flamingo_inbound', 'Hi');
    insert into wp_postmeta values (1, 2, '_billing_email', 'eve@example.com'), (2, 3, '_price', '9');
    insert into wp_comments values (1, 1, 'comment', '1', 'http://eve.example', 'Firefox', 'Lovely'), (2, 1, 'comment', 'spam', '', '', 'x'),
      (3, 2, 'order_note', '1', '', '', 'Eve paid'), (4, 1, 'comment', '0', '', '', 'Not yet seen');
    insert into wp_commentmeta values (1, 1, 'kept'), (2, 2, 'gone');
    insert into wp_wc_orders values (1, 'eve@example.com');
    insert into wp_wc_customer_lookup values (1, 'eve@example.com');
    insert into wp_booking_guests values (1, 'eve@example.com', 'blue');
    insert into wp_booking_rooms values (1, 'blue');
    insert into wp_plugin_settings values (1, 'colour', ''), (2, 'sender', 'shop@example.com');`);
  removeCustomers((sql, ...values) => database.prepare(sql).all(...values) as SqlRow[]);
  const all = (table: string, column: string) =>
    database
      .prepare(`select ${column} as value from ${table} order by 1`)
      .all()
      .map(({ value }) => value);
  assert.deepEqual(all('wp_posts', 'post_title'), ['A cup', 'Home']);
  assert.deepEqual(all('wp_postmeta', 'meta_key'), ['_price']);
  assert.deepEqual(all('wp_comments', 'comment_content'), ['Lovely']);
  assert.deepEqual([all('wp_comments', 'comment_author_url'), all('wp_comments', 'comment_agent')], [[''], ['']]);
  assert.deepEqual(all('wp_commentmeta', 'meta_value'), ['kept']);
  for (const table of ['wp_wc_orders', 'wp_wc_customer_lookup', 'wp_booking_guests'])
    assert.deepEqual(all(table, 'id'), [], table);
  assert.deepEqual(all('wp_booking_rooms', 'room'), ['blue']);
  assert.deepEqual(all('wp_plugin_settings', 'name'), ['colour']);
  database.close();
});
