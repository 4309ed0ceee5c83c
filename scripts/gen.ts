import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '#core/db/database.ts';
import { startEmbeddedPostgres } from '#core/db/embedded-postgres.ts';
import { migrate } from '#core/db/migrate.ts';
import { catalogueOf } from '#core/http/catalogue.ts';
import { describeApi } from '#core/http/openapi.ts';
import { operationsOf } from '#features/feature.ts';
import { features } from '#features/index.ts';
import { plainManifests } from './chart/chart.ts';
import { sdkSource } from './gen-sdk.ts';

const operations = operationsOf(features);

/**
 * Writes what is generated: the types of the tables from the migrations, the OpenAPI document and the SDK from the
 * operations, the plain manifests from the Helm chart. With --check it writes nothing and fails where a file is out of date.
 */
const ROOT = new URL('..', import.meta.url);
const PG_TYPES: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  bool: 'boolean',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  timestamptz: 'Date',
  jsonb: 'unknown',
  bytea: 'Buffer',
  xid8: 'string',
  _text: 'string[]',
  _int4: 'number[]',
  _uuid: 'string[]',
};
const check = process.argv.includes('--check');

const document = describeApi(operations, 'http://localhost:8080');
const outputs: Record<string, string> = {
  'src/core/db/schema.generated.ts': await tableTypes(),
  'sdk/openapi.json': `${JSON.stringify(document, null, 1)}\n`,
  'sdk/operations.generated.ts': sdkSource(document),
  'sdk/catalogue.json': catalogueText(),
  'deploy/kubernetes/siteyard.yaml': plainManifests(),
};

const stale: string[] = [];
for (const [path, text] of Object.entries(outputs)) {
  const file = new URL(path, ROOT);
  if ((await readFile(file, 'utf8').catch(() => '')) === text) continue;
  stale.push(path);
  if (!check) await writeFile(file, text);
}
if (check && stale.length > 0) {
  console.error(`out of date: ${stale.join(', ')}; run npm run gen`);
  process.exitCode = 1;
} else {
  console.log(stale.length > 0 ? `written: ${stale.join(', ')}` : 'everything generated is up to date');
}

/** For programs that call any operation by its name; what it answers is in the OpenAPI document. */
function catalogueText(): string {
  const entries = catalogueOf(operations).map(({ output: _, ...entry }) => JSON.stringify(entry));
  return `[\n${entries.join(',\n')}\n]\n`;
}

async function tableTypes(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'siteyard-gen-'));
  const postgres = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  const { db, close } = openDatabase(postgres.url, 2, () => {});
  try {
    await migrate(db);
    const { rows } = await sql<{
      table_name: string;
      column_name: string;
      udt_name: string;
      nullable: boolean;
      optional: boolean;
    }>`
      select table_name, column_name, udt_name, is_nullable = 'YES' as nullable,
        (column_default is not null or is_identity = 'YES' or is_nullable = 'YES') as optional
      from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
      order by table_name, ordinal_position`.execute(db);
    const enums = await sql<{ name: string; type: string }>`
      select typname as name, string_agg(quote_literal(enumlabel), ' | ' order by enumsortorder) as type
      from pg_enum join pg_type on pg_type.oid = enumtypid join pg_namespace n on n.oid = typnamespace
      where nspname = 'public' group by typname`.execute(db);
    const types: Record<string, string> = {
      ...PG_TYPES,
      ...Object.fromEntries(enums.rows.map(({ name, type }) => [name, type])),
    };
    const tables = Map.groupBy(rows, (row) => row.table_name);
    const bodies = [...tables].map(([name, columns]) => {
      const lines = columns.map(({ column_name, udt_name, nullable, optional }) => {
        const type = `${types[udt_name] ?? 'unknown'}${nullable ? ' | null' : ''}`;
        return `    ${column_name}: ${optional ? `Generated<${type}>` : type};`;
      });
      return `  ${name}: {\n${lines.join('\n')}\n  };`;
    });
    return `// Made from the migrations by npm run gen.\nimport type { Generated } from 'kysely';\n\nexport interface DB {\n${bodies.join('\n')}\n}\n`;
  } finally {
    await close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
