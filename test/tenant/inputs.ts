import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorLine } from '#host/site-log/entries.ts';
import { databaseFile } from '#runtimes/folders/site-folder.ts';
import type { Random } from '#testkit/random.ts';

/** What a site's PHP or shell can write where the platform reads it; each of it as large and as odd as it may be. */
export class HostileTenant {
  readonly folder: string;
  readonly #random: Random;
  readonly #scale: number;

  /** `scale` is 1 for the sizes that the platform was frozen with. */
  constructor(folder: string, random: Random, scale: number) {
    this.folder = folder;
    this.#random = random;
    this.#scale = scale;
  }

  /** Files that look like mails: headers without end, JSON of nothing but brackets or objects, bytes by chance. */
  mails(): void {
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const mail = (message: string) => `{"from":"a@b.example","to":["c@d.example"],"message":"${message}"}`;
    const texts = [
      mail(base64(this.#many('a: b\r\n', 3_500_000))),
      mail(base64(`Subject: x\r\n\r\n${this.#many('\r\n', 10_000_000)}`)),
      `[${this.#many('{},', 9_000_000)}{}]`,
      `{"from":${this.#many('[', 25_000_000)}`,
      `{"from":"a@b.example","to":[${this.#many('"c@d.example",', 2_000_000)}"c@d.example"],"message":""}`,
      this.#random.bytes(10_000),
    ];
    for (const [number, text] of texts.entries()) this.#write(`outbox/mail-${now()}-${number}a.json`, text);
    for (let count = 0; count < 2_000 * this.#scale; count++) this.#write(`outbox/junk-${count}`, '');
  }

  /** Tables and columns whose names are as long as SQLite lets them be, many tables, and options of megabytes. */
  tables(): void {
    const database = new DatabaseSync(databaseFile(this.folder));
    database.exec('begin');
    for (let table = 0; table < 10; table++)
      database.exec(
        `create table if not exists "wp_${table}${'x'.repeat(900_000)}" (id integer primary key, value text)`,
      );
    for (let table = 0; table < 2_000 * this.#scale; table++)
      database.exec(`create table if not exists "wp_${table}_${'y'.repeat(150)}" ("${'z'.repeat(200)}" text)`);
    const option = database.prepare(
      'insert into wp_options (option_name, option_value, autoload) values (?, ?, ?) on conflict (option_name) do update set option_value = excluded.option_value',
    );
    option.run('blogdescription', this.#many('<', 20_000_000), 'off');
    option.run('stylesheet', 's'.repeat(5_000_000 * this.#scale), 'off');
    database.exec('commit');
    database.close();
  }

  dropTables(): void {
    const database = new DatabaseSync(databaseFile(this.folder));
    const names = database.prepare("select name from sqlite_master where type = 'table' and length(name) > 100").all();
    for (const { name } of names) database.exec(`drop table "${name}"`);
    database.close();
  }

  /** Names of 255 bytes with whatever may be in a name, many of them, and folders inside one another. */
  files(): void {
    const odd = ['\u001b]0;title\u0007', '\n', '"', '😀', '<b>', '%00', '\u202e', "'"];
    const folder = 'content/uploads/odd';
    mkdirSync(join(this.folder, folder), { recursive: true });
    for (let file = 0; file < 20_000 * this.#scale; file++) {
      const name = `${file}${this.#random.pick(odd)}`;
      this.#write(`${folder}/${name}${'n'.repeat(Math.max(0, 250 - Buffer.byteLength(name)))}`, '');
    }
    mkdirSync(join(this.folder, folder, 'd/'.repeat(100)), { recursive: true });
    this.#write('content/uploads/readme.txt', this.#many('=== \n', 2_000_000));
  }

  clear(): void {
    rmSync(join(this.folder, 'content/uploads/odd'), { recursive: true, force: true });
  }

  /** A log of errors as full as it may be, each made to be dear to compare with the others. As PHP's own words come there. */
  errors(logs: string): void {
    mkdirSync(logs, { recursive: true });
    const words = [`${'1'.repeat(287)}g`, `"'`.repeat(140), `${'0x'.repeat(140)}!`, 'a'.repeat(8_000)];
    for (let piece = 1; piece <= 8; piece++) {
      let lines = '';
      for (let line = 0; lines.length < 1_000_000 * this.#scale; line++) {
        const message = words[line % words.length] as string;
        lines += errorLine({ atMs: Date.now(), level: 'plain', message, file: null, line: null, request: 'GET /' });
      }
      writeFileSync(join(logs, `error-${new Date().toISOString().slice(0, 10)}-00000${piece}.jsonl`), lines);
    }
  }

  /** Posts of kinds that nobody has a word for, with letters that no text may have. */
  posts(): void {
    const database = new DatabaseSync(databaseFile(this.folder));
    const post = database.prepare(
      `insert into wp_posts (post_author, post_title, post_name, post_type, post_status, post_content, guid, post_excerpt, to_ping, pinged,
        post_content_filtered) values (1, ?, '', ? || char(0) || char(27), 'publish', '', '', '', '', '', '')`,
    );
    database.exec('begin');
    for (let count = 0; count < 5_000 * this.#scale; count++)
      post.run('<b>\u202e'.repeat(100), `kind-${count}-`.repeat(5));
    database.exec('commit');
    database.close();
  }

  #many(text: string, count: number): string {
    return text.repeat(Math.ceil(count * this.#scale));
  }

  #write(path: string, text: string | Buffer): void {
    writeFileSync(join(this.folder, path), text);
  }
}

const now = () => Math.floor(Date.now() / 1000);
