import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Runtime, SiteSpec } from '#runtimes/runtime.ts';
import { createSite, putProbe, request, until } from './contract-site.ts';

type Rows = (string | null)[][];
export type AskDatabase = (...queries: string[]) => Promise<{ rows: Rows; error: string }[]>;

/** Runs the queries of its body, in one request, as a plugin would. */
const ASK = `
  require '/site/wordpress/wp-load.php';
  $wpdb->suppress_errors(true);
  $answers = [];
  foreach (json_decode(file_get_contents('php://input')) as $query) {
    $rows = $wpdb->get_results($query, ARRAY_N);
    $answers[] = ['rows' => $rows ?? [], 'error' => (string) $wpdb->last_error];
  }
  echo json_encode($answers);`;

export async function askDatabase(runtime: Runtime, site: SiteSpec): Promise<AskDatabase> {
  const path = await putProbe(runtime, site, 'ask.php', ASK);
  return async (...queries) => {
    const answer = await request(runtime, site, { method: 'POST', path, body: JSON.stringify(queries) });
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text);
  };
}

/** What plugins use of MySQL and every driver must have. A driver's own test opens it and calls this. */
export function describeDatabase(
  name: string,
  open: () => Promise<{ runtime: Runtime; close(): Promise<void> }>,
): void {
  describe(`database contract: ${name}`, () => {
    let runtime: Runtime;
    let site: SiteSpec;
    let ask: AskDatabase;
    let close = async () => {};
    before(async () => {
      ({ runtime, close } = await open());
      site = await createSite(runtime, 'database.localhost');
      ask = await askDatabase(runtime, site);
      await succeed(
        "create table things (id bigint unsigned not null auto_increment, name varchar(50) not null default '', n int default 0, made datetime, primary key (id), unique key name (name), key n (n))",
        "insert into things (name, n, made) values ('a', 1, '2024-01-31 10:00:00'), ('b', 2, '2024-03-31 00:00:00'), ('c', 2, null)",
      );
    });
    after(() => close());

    /** The rows of the last query; none of them may fail. */
    const succeed = async (...queries: string[]): Promise<Rows> => {
      const answers = await ask(...queries);
      for (const [index, { error }] of answers.entries()) assert.equal(error, '', queries[index]);
      return answers.at(-1)?.rows ?? [];
    };
    /** Each expression and what it is. */
    const compare = async (expected: Record<string, string | null>) => {
      const expressions = Object.keys(expected);
      const answers = await ask(...expressions.map((expression) => `select ${expression}`));
      const got = expressions.map((expression, index) => [
        expression,
        answers[index]?.error || answers[index]?.rows[0]?.[0],
      ]);
      assert.deepEqual(Object.fromEntries(got), expected);
    };

    it('joins values of a group with a separator, an order, and without doubles', async () => {
      const joined = async (aggregate: string) => (await succeed(`select ${aggregate} from things`))[0]?.[0];
      assert.equal(await joined("group_concat(name order by id separator ';')"), 'a;b;c');
      assert.equal(await joined("group_concat(distinct n order by n desc separator ' | ')"), '2 | 1');
      assert.equal(await joined("group_concat(name, ':', n order by id)"), 'a:1,b:2,c:2');
      assert.equal(await joined('group_concat(name, n order by id desc)'), 'c2,b2,a1');
      assert.equal(await joined("group_concat(made separator '')"), '2024-01-31 10:00:002024-03-31 00:00:00');
      assert.deepEqual(await succeed("select group_concat(name separator '/') from things where id > 100"), [[null]]);
      assert.equal(await joined('count(distinct n, name)'), '3');
    });

    it('makes a table like another, copies it and puts it in its place', async () => {
      await succeed('create table old_things like things', 'insert into old_things select * from things');
      assert.deepEqual(await succeed('select count(*), max(id) from old_things'), [['3', '3']]);
      const indexes = await succeed('show index from old_things');
      assert.deepEqual(
        indexes.map(([, , index]) => index),
        ['PRIMARY', 'name', 'n'],
      );
      // The one that is there stays, and a temporary one is gone with the connection.
      await succeed('create table if not exists old_things (like things)', 'create temporary table brief like things');
      assert.deepEqual(await succeed('select count(*) from old_things'), [['3']]);
      assert.deepEqual(await succeed("show tables like 'brief'"), []);

      await succeed(
        "insert into old_things (name) values ('d')",
        'rename table old_things to swapped, things to old_things, swapped to things',
        "insert into things (name) values ('e')",
      );
      assert.deepEqual(await succeed('select id, name from things order by id desc limit 2'), [
        ['5', 'e'],
        ['4', 'd'],
      ]);
      assert.deepEqual(await succeed('select count(*) from old_things'), [['3']]);
      await succeed('drop table things', 'alter table old_things add column extra int default 7, rename to things');
      assert.deepEqual(await succeed("select name, extra, made from things where name = 'a'"), [
        ['a', '7', '2024-01-31 10:00:00'],
      ]);
      assert.deepEqual(await succeed("show tables like 'old%'"), []);

      const brief = ['create temporary table brief (id int, key id (id))', 'insert into brief values (1)'];
      assert.deepEqual(await succeed(...brief, 'alter table brief rename to briefer', 'select * from briefer'), [
        ['1'],
      ]);
    });

    it('renames all tables of a query or none', async () => {
      await succeed(
        'create table one like things',
        'create table two like things',
        "insert into one (name) values ('x')",
      );
      const [renamed] = await ask('rename table one to three, two to things');
      assert.notEqual(renamed?.error, '');
      assert.deepEqual(await succeed("show tables like 'three'"), []);
      assert.deepEqual(await succeed('select name from one'), [['x']]);
      const [missing] = await ask('rename table nowhere to somewhere');
      assert.notEqual(missing?.error, '');
    });

    describe('with foreign keys', () => {
      const KIDS = 'select count(*) from kids union all select count(*) from pets union all select count(*) from folk';
      const ALL = [['2'], ['1'], ['3']];
      const references = async (table: string) =>
        [...((await succeed(`show create table ${table}`))[0]?.[1] ?? '').matchAll(/REFERENCES `(\w+)`/g)].map(
          ([, name]) => name,
        );

      before(() =>
        succeed(
          'create table folk (id bigint unsigned not null auto_increment, name varchar(50), elder bigint unsigned, primary key (id), unique key name (name), foreign key (elder) references folk (id) on delete cascade)',
          'create table kids (id int not null, parent bigint unsigned, primary key (id), constraint kids_parent foreign key (parent) references folk (id) on delete cascade)',
          'create table pets (id int not null, owner bigint unsigned, primary key (id), foreign key (owner) references folk (id))',
          "insert into folk (id, name, elder) values (1, 'a', null), (2, 'b', 1), (3, 'c', 2), (9, 'gone', 1)",
          'delete from folk where id = 9',
          'insert into kids values (1, 1), (2, 2)',
          'insert into pets values (1, 3)',
        ),
      );

      it('changes and renames a table, and what would go with its rows stays', async () => {
        await succeed(
          'create table estates (id int not null, primary key (id))',
          'create table heirs (id int not null, estate int, primary key (id), foreign key (estate) references estates (id) on delete cascade)',
          'insert into estates values (1)',
          'insert into heirs values (1, 1), (2, 1)',
        );
        const heirs = 'select count(*) from heirs';
        for (const change of [
          'rename table estates to houses',
          'alter table houses add column more int default 8, rename to estates',
          'alter table estates add column extra int default 7',
          'optimize table estates',
        ])
          assert.deepEqual(await succeed(change, heirs), [['2']], change);
        // As in MySQL, what was begun before is kept.
        const begun = ['start transaction', 'insert into heirs values (3, 1)', 'rename table estates to houses'];
        assert.deepEqual(await succeed(...begun, 'rollback', heirs), [['3']]);
        assert.deepEqual(await references('heirs'), ['houses']);
      });

      it('changes a table whose rows others forbid to delete', async () => {
        for (const change of ['alter table folk add column age int default 7', 'optimize table folk']) {
          assert.deepEqual(await succeed(change, KIDS), ALL, change);
          assert.deepEqual(await references('kids'), ['folk']);
        }
      });

      it('renames a table, and those that reference it follow with all of their rows', async () => {
        for (const [rename, name] of [
          ['rename table folk to kin', 'kin'],
          ['alter table kin rename to clan', 'clan'],
          ['alter table clan add column height int default 3, rename to people', 'people'],
          ['rename table people to swapped, things to people, swapped to things, people to folk', 'things'],
          ['rename table things to people, folk to things, people to folk, kids to children, children to kids', 'folk'],
        ] as const) {
          const counts = await succeed(rename, KIDS.replace('folk', name));
          assert.deepEqual(counts, ALL, rename);
          for (const table of ['kids', 'pets', name]) assert.deepEqual(await references(table), [name], rename);
        }
        assert.deepEqual(await succeed('select name from things order by id limit 1'), [['a']]);
      });

      it('keeps the counter of a renamed table, and leaves nothing under the old name', async () => {
        await succeed(
          'create table runs (id bigint not null auto_increment, other bigint, at datetime on update current_timestamp, primary key (id), key other (other), foreign key (other) references runs (id), check (id > 0))',
          'insert into runs (id) values (1), (8)',
          'delete from runs where id = 8',
        );
        const made = (await succeed('show create table runs'))[0]?.[1];
        await succeed('rename table runs to ran');
        const renamed = (await succeed('show create table ran'))[0]?.[1];
        assert.equal(renamed, made?.replaceAll('runs', 'ran'));
        await succeed(
          made ?? '',
          'drop table runs',
          'insert into ran (other) values (1)',
          'update ran set other = null',
        );
        assert.deepEqual(await succeed('select id, at is null from ran order by id desc limit 1'), [['9', '0']]);
      });

      it('gives a renamed table nothing of a dropped one that had its name', async () => {
        await succeed(
          'create table plain (id int not null, owner bigint unsigned, primary key (id))',
          'create table rest (id int not null, owner bigint unsigned, foreign key (owner) references folk (id), check (id > 5))',
          'drop table rest',
          'rename table plain to rest',
          'insert into rest values (1, 99)',
        );
        assert.deepEqual(await references('rest'), []);
      });

      it('loses nothing where a rename fails, and the keys hold as before', async () => {
        const [renamed, orphan, restricted, counts] = await ask(
          'rename table folk to kin, kids to things',
          'insert into kids values (3, 99)',
          'delete from folk where id = 3',
          KIDS,
        );
        assert.match(renamed?.error ?? '', /already exists/);
        assert.notEqual(orphan?.error, '');
        assert.notEqual(restricted?.error, '');
        assert.deepEqual(counts?.rows, ALL);
        assert.deepEqual(await references('kids'), ['folk']);

        const cascaded = await succeed(
          'rename table folk to kin',
          'delete from pets',
          'delete from kin where id = 2',
          KIDS.replace('folk', 'kin'),
        );
        assert.deepEqual(cascaded, [['1'], ['0'], ['1']]);
        const [after] = await ask('insert into kids values (3, 99)');
        assert.notEqual(after?.error, '');
      });
    });

    it('counts dates over the ends of months, forwards and backwards', async () => {
      await compare({
        "date_add('2024-01-31', interval 1 month)": '2024-02-29',
        "date_add('2023-01-31 10:11:12', interval 1 month)": '2023-02-28 10:11:12',
        "date_sub('2024-03-31', interval 1 month)": '2024-02-29',
        "date_sub('2024-02-29', interval 1 year)": '2023-02-28',
        "date_add('2024-11-30', interval 1 quarter)": '2025-02-28',
        "date_add('2024-12-31', interval -2 week)": '2024-12-17',
        "date_add('2024-12-31', interval '1:30' hour_minute)": '2024-12-31 01:30:00',
        "'2024-01-31' + interval 1 month - interval 1 day": '2024-02-28',
        "interval 1 day + '2024-02-28'": '2024-02-29',
        "adddate('2024-02-28', 2)": '2024-03-01',
        'date_add(null, interval 1 day)': null,
        "date_add('no date', interval 1 day)": null,
        "timestampadd(month, 1, '2024-01-31')": '2024-02-29',
        "timestampdiff(month, '2024-01-31', '2024-03-30')": '1',
        "timestampdiff(second, '1900-01-01', '2024-01-01')": '3913056000',
        "last_day('2024-02-03')": '2024-02-29',
        "extract(year_month from '2024-01-31')": '202401',
        "date_format('2024-01-31 10:11:12', '%Y-%m-%d %H:%i:%s')": '2024-01-31 10:11:12',
        "date_format('2024-01-03', '%W, %e %M %y')": 'Wednesday, 3 January 24',
        "str_to_date('31/01/2024 10:30', '%d/%m/%Y %H:%i')": '2024-01-31 10:30:00',
        "yearweek('2024-01-31')": '202404',
      });
      const later = await succeed('select name from things where made > now() - interval 500 year and made < now()');
      assert.deepEqual(later.flat().sort(), ['a', 'b']);
    });

    it('counts and compares as MySQL does', async () => {
      await compare({
        "if(2 > 1, 'yes', 'no')": 'yes',
        "if(null, 'yes', 'no')": 'no',
        'if(1, 5000000000, 0)': '5000000000',
        '7 div 2': '3',
        '7 mod 4': '3',
        "find_in_set('b', 'a,b,c')": '2',
        "substring_index('a.b.c', '.', -2)": 'b.c',
        "lpad('7', 3, '0')": '007',
        "regexp_replace('a1b2', '[0-9]', '')": 'ab',
        "crc32('a')": '3904355907',
        'format(1234.5, 2)': '1,234.50',
        'json_unquote(json_extract(\'{"a": "x"}\', \'$.a\'))': 'x',
        "json_contains('[1, 2]', '2')": '1',
      });
      assert.equal(Number((await succeed('select 5 / 2'))[0]?.[0]), 2.5);
      assert.equal(Number((await succeed('select sum(n) / count(*) * 3 from things'))[0]?.[0]), 5);
      assert.deepEqual(
        await succeed("(select name from things order by id desc limit 1) union (select 'z' limit 1) order by name"),
        [['c'], ['z']],
      );
      for (const option of ['sql_no_cache', '/*!40001 SQL_NO_CACHE */', 'high_priority straight_join'])
        assert.deepEqual(await succeed(`select ${option} name from things where id = 1`), [['a']]);
      await succeed('set transaction isolation level read committed');
    });

    it('leaves the words of a text alone', async () => {
      const text = `it''s \\'quoted\\': IF(1/2, "INTERVAL 1 DAY", GROUP_CONCAT(a SEPARATOR \\';\\')) /* RENAME */ -- DIV`;
      const [row] = await succeed(`select '${text}', 8 div 3`);
      assert.deepEqual(row, [text.replace("''", "'").replaceAll("\\'", "'"), '2']);
      const [two] = await ask("select 8 div 3; delete from things where name = 'a'");
      assert.notEqual(two?.error, '');
      assert.deepEqual(await succeed("select count(*) from things where name = 'a'"), [['1']]);
    });

    it('gives a lock to one process at a time, for as long as that one wants it', async () => {
      const content = runtime.contentFolder(site.id);
      const [held, done] = ['held', 'done'].map((mark) => join(content, 'plugins', 'probe', mark)) as [string, string];
      const hold = await putProbe(
        runtime,
        site,
        'hold.php',
        `require '/site/wordpress/wp-load.php';
        echo $wpdb->get_var("select get_lock('job', 0)"), $wpdb->get_var("select get_lock('JOB', 0)");
        touch(__DIR__ . '/held');
        while (!file_exists(__DIR__ . '/done')) { usleep(20000); clearstatcache(); }`,
      );
      await putProbe(
        runtime,
        site,
        'want.php',
        `$_SERVER['HTTP_HOST'] = 'x';
        require '/site/wordpress/wp-load.php';
        $ask = fn($call) => $wpdb->get_var("select $call") ?? 'null';
        echo $ask("is_free_lock('job')"), $ask("get_lock('job', 0)"), $ask("release_lock('job')"), $ask("get_lock('other', 0)"), $ask("release_lock('other')");
        touch(__DIR__ . '/done');
        echo $ask("get_lock('job', 60)"), $ask("release_lock('job')"), $ask("is_free_lock('job')"), $ask("release_lock('job')");`,
      );
      const holding = request(runtime, site, { path: hold });
      await until(() => existsSync(held), 60_000);
      const wanted = await runtime.exec(site, {
        args: ['php', '/site/wordpress/wp-content/plugins/probe/want.php'],
        timeoutMs: 60_000,
        maxOutputBytes: 10_000,
      });
      await writeFile(done, '');
      // It never gave the lock back by itself.
      assert.equal((await holding).text, '11');
      assert.equal(wanted.stdout, '00011111null', wanted.stderr);
    });

    it('ends a lock with the process that held it', async () => {
      const broken = await putProbe(
        runtime,
        site,
        'broken.php',
        `require '/site/wordpress/wp-load.php';
        $wpdb->get_var("select get_lock('broken', 0)");
        $all = []; while (true) { $all[] = str_repeat('x', 1 << 20); }`,
      );
      assert.equal((await request(runtime, site, { path: broken })).status, 500);
      assert.deepEqual(await succeed("select get_lock('broken', 10)"), [['1']]);
    });

    it('knows the number of the last row also after other queries', async () => {
      const rows = await succeed(
        "insert into things (name) values ('numbered')",
        'select 1',
        'select last_insert_id() = (select max(id) from things)',
      );
      assert.deepEqual(rows, [['1']]);
    });
  });
}
