/**
 * Every place of the database where something sealed is kept, in one list: what is missing here would be lost with the key
 * that it was sealed with. A test compares it with the tables.
 */
export interface SealedColumn {
  table: string;
  column: string;
}

/** A sealed value inside of JSON, as Postgres writes bytes there or as base64. */
export interface SealedMember extends SealedColumn {
  path: readonly string[];
  encoding: 'hex' | 'base64';
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'platform', column: 'lasting_key_sealed' },
  { table: 'idempotent_answers', column: 'body_sealed' },
  { table: 'sites', column: 'http_auth_password_sealed' },
  { table: 'sites', column: 'code_server_password_sealed' },
  { table: 'sites', column: 'dkim_private_key_sealed' },
  { table: 'application_passwords', column: 'password_sealed' },
  { table: 'git_accounts', column: 'secret_sealed' },
  { table: 'git_links', column: 'hook_secret_sealed' },
  { table: 'webhook_secrets', column: 'secret_sealed' },
  { table: 'proposals', column: 'input_sealed' },
  { table: 'totp_secrets', column: 'secret_sealed' },
  { table: 'certificates', column: 'key_sealed' },
  { table: 'acme_accounts', column: 'key_sealed' },
];

export const SEALED_MEMBERS: readonly SealedMember[] = [
  // A site that was deleted is kept as a whole row.
  ...SEALED_COLUMNS.filter(({ table }) => table === 'sites').map(({ column }) => ({
    table: 'deleted_sites',
    column: 'site',
    path: [column],
    encoding: 'hex' as const,
  })),
  // The first administrator of a site that is yet to be created.
  { table: 'jobs.job', column: 'data', path: ['payload', 'passwordHashSealed'], encoding: 'base64' },
  { table: 'failed_jobs', column: 'payload', path: ['passwordHashSealed'], encoding: 'base64' },
];
