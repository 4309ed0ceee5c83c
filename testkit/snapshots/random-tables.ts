import { createHash } from 'node:crypto';
import type { Connection } from 'mariadb';
import { connect } from '#runtimes/mariadb/server-access.ts';
import type { MariadbDescription } from '#runtimes/mariadb/site-databases.ts';
import type { Random } from '../random.ts';

const TABLES = [
  `CREATE TABLE wp_posts (ID bigint unsigned NOT NULL AUTO_INCREMENT, title varchar(200) NOT NULL DEFAULT '', content longtext,
     score double, price decimal(20,6), small float, made datetime(3) DEFAULT '0000-00-00 00:00:00', seen timestamp NULL,
     flags bit(10), kind enum('a','b','ü'), tags set('x','y','z'), raw blob, padded int(8) unsigned zerofill, PRIMARY KEY (ID), KEY title (title(50)))`,
  'CREATE TABLE wp_terms (object bigint NOT NULL, term int NOT NULL, extra text, PRIMARY KEY (object, term))',
  'CREATE TABLE wp_options (name varchar(100) NOT NULL, value longtext, PRIMARY KEY (name)) COLLATE utf8mb4_unicode_ci',
  'CREATE TABLE `odd ``name` (anything text, id int, twice int AS (id * 2) VIRTUAL)',
  'CREATE TABLE latin (code smallint NOT NULL, word varchar(50) CHARACTER SET latin1, bytes varbinary(80), PRIMARY KEY (code))',
  'CREATE TABLE late (word char(30) CHARACTER SET ascii, day date, clock time(2), year year, id mediumint NOT NULL, PRIMARY KEY (id))',
  'CREATE VIEW titles AS SELECT title FROM wp_posts',
];

/** A database in which anything may happen that happens to a site's, and more. */
export class RandomTables {
  readonly #description: MariadbDescription;
  readonly #random: Random;
  #connection: Connection | undefined;

  constructor(description: MariadbDescription, random: Random) {
    this.#description = description;
    this.#random = random;
  }

  async make(): Promise<void> {
    for (const sql of TABLES) await this.run(sql);
    await this.change(300);
  }

  /** The changes of a minute, in transactions of several statements; at times nothing. */
  async minute(): Promise<void> {
    const random = this.#random;
    if (random.below(3) === 0) return;
    for (let count = random.below(3); count >= 0; count--) await this.change(random.below(15));
    if (random.below(8) === 0) await this.#changeSchema();
  }

  async change(count: number): Promise<void> {
    await this.run('START TRANSACTION');
    for (let index = 0; index < count; index++) await this.#changeRow();
    await this.run(this.#random.below(10) === 0 ? 'ROLLBACK' : 'COMMIT');
  }

  async run(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
    this.#connection ??= await this.#connect();
    return await this.#connection.query(sql, values);
  }

  /** All there is, read in another way than the time machine does. */
  async truth(): Promise<Record<string, string>> {
    const truth: Record<string, string> = {};
    for (const row of await this.run('SHOW FULL TABLES')) {
      const [name, type] = Object.values(row) as [string, string];
      const [made] = await this.run(`SHOW CREATE TABLE ${quote(name)}`);
      truth[name] = String(made?.['Create Table'] ?? made?.['Create View'])
        .replace(/ DEFINER=\S+/, '')
        // A transaction that is rolled back has used numbers up, and nothing tells of it.
        .replace(/ AUTO_INCREMENT=\d+/, '');
      if (type === 'VIEW') continue;
      const columns = (await this.run(`SHOW COLUMNS FROM ${quote(name)}`)).map(({ Field }) => quote(String(Field)));
      const rows = await this.run(
        `SELECT ${columns.map((column) => `HEX(${column})`).join(', ')}, ${columns.join(', ')} FROM ${quote(name)}`,
      );
      const lines = rows.map((row) => JSON.stringify(Object.values(row), plain)).sort();
      truth[`rows of ${name}`] = `${lines.length} ${createHash('sha256').update(lines.join('\n')).digest('hex')}`;
    }
    return truth;
  }

  async close(): Promise<void> {
    await this.#connection?.end();
    this.#connection = undefined;
  }

  async #connect(): Promise<Connection> {
    const { server, account, name } = this.#description;
    const connection = await connect({ address: server, account }, name);
    await connection.query("SET sql_mode = '', time_zone = '+00:00'");
    connection.on('error', () => {
      this.#connection = undefined;
    });
    return connection;
  }

  async #changeRow(): Promise<void> {
    const random = this.#random;
    const id = random.below(500);
    const text = () => random.text(random.below(400)).replaceAll('\0', '');
    switch (random.below(16)) {
      case 0:
        return void (await this.run('DELETE FROM wp_posts WHERE ID = ?', id));
      case 1:
        return void (await this.run(
          'UPDATE wp_posts SET content = ?, seen = FROM_UNIXTIME(?) WHERE ID = ?',
          random.text(3000),
          1e9 + id,
          id,
        ));
      case 2:
        return void (await this.run(
          'REPLACE INTO wp_posts (ID, title, score, small, price) VALUES (?, ?, ?, ?, ?)',
          id,
          text().slice(0, 100),
          random.fraction() * 10 ** (random.below(60) - 30),
          random.fraction(),
          `${random.below(1e6)}.${random.below(1e6)}`,
        ));
      case 3:
        return void (await this.run(
          'REPLACE INTO wp_terms (object, term, extra) VALUES (?, ?, ?)',
          random.below(80) - 40,
          random.below(9),
          random.below(3) === 0 ? null : text(),
        ));
      case 4:
        return void (await this.run('DELETE FROM wp_terms WHERE object = ?', random.below(80) - 40));
      case 5:
        return void (await this.run(
          'REPLACE INTO wp_options VALUES (?, ?)',
          `${random.pick(['A', 'a', 'Ä', 'b', '😀'])}${random.below(80)}`,
          text(),
        ));
      case 6:
        return void (await this.run('DELETE FROM wp_options WHERE name = ?', `a${random.below(80)}`));
      case 7:
        return void (await this.run('INSERT INTO `odd ``name` (anything, id) VALUES (?, ?)', text(), random.below(50)));
      case 8:
        return void (await this.run('DELETE FROM `odd ``name` WHERE id = ?', random.below(50)));
      case 9:
        return void (await this.run(
          'REPLACE INTO latin VALUES (?, ?, ?)',
          random.below(200) - 100,
          'größe'.slice(0, random.below(6)),
          random.bytes(random.below(60)),
        ));
      case 10:
        return void (await this.run(
          'REPLACE INTO late VALUES (?, ?, ?, ?, ?)',
          random.pick(['', 'a', 'b  ']),
          random.pick([null, '0000-00-00', '2026-11-18']),
          random.pick(['-10:00:00.5', '23:59:59.99', null]),
          random.pick([null, 0, 1999, 2026]),
          random.below(100),
        ));
      case 11:
        return void (await this.run(
          'UPDATE IGNORE wp_posts SET ID = ID + 10000, flags = ?, kind = ?, tags = ?, raw = ? WHERE ID = ?',
          random.below(1024),
          random.pick(['a', 'ü', 'none']),
          random.pick(['x', 'x,z', '']),
          random.bytes(random.below(90)),
          id,
        ));
      case 12:
        return void (await this.run(
          'UPDATE wp_posts SET padded = ?, made = NOW(3) WHERE ID BETWEEN ? AND ?',
          id,
          id,
          id + random.below(20),
        ));
      default:
        return void (await this.run(
          'INSERT INTO wp_posts (title, content, score) VALUES (?, ?, ?)',
          text().slice(0, 100),
          random.text(random.below(2000)),
          random.pick([null, 0, -1.5, 1e300]),
        ));
    }
  }

  async #changeSchema(): Promise<void> {
    const random = this.#random;
    const number = random.below(3);
    switch (random.below(8)) {
      case 0:
        return void (await this.run(
          `CREATE TABLE IF NOT EXISTS extra${number} AS SELECT ID, title FROM wp_posts LIMIT 40`,
        ));
      case 1:
        return void (await this.run(`DROP TABLE IF EXISTS extra${number}`));
      case 2:
        return void (await this.run(`ALTER TABLE wp_terms ADD COLUMN more${random.below(1e6)} int DEFAULT 5`));
      case 3:
        return void (await this.run('TRUNCATE TABLE latin'));
      case 4:
        return void (await this.run('CREATE OR REPLACE TABLE copied LIKE wp_options'));
      case 5:
        return void (await this.run(`CREATE OR REPLACE VIEW shown AS SELECT ID FROM wp_posts WHERE ID > ${number}`));
      case 6:
        return void (await this.run('ALTER TABLE wp_posts AUTO_INCREMENT = 5000'));
      default:
        return void (await this.run('DELETE FROM wp_posts WHERE ID % 3 = 1'));
    }
  }
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

function quote(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
