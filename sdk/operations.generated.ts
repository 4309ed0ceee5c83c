// Made from the operations by npm run gen.

export type AccountView = {
  id: string;
  user_id: string;
  operator: User;
  reason: string;
  created_at: string;
  expires_at: string;
  ended_at: string | null;
};
export type AccountViewPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<AccountView>;
};
export type ApiToken = {
  id: string;
  name: string;
  scopes: Array<'read' | 'write' | 'plan'>;
  team_id: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  created_at: string;
};
export type ApiTokenPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<ApiToken>;
};
export type ApplicationPassword = {
  id: string;
  team_id: string;
  user_id: string;
  fqdn: string;
  username: string;
  created_at: string;
};
export type ApplicationPasswordName = {
  fqdn: string;
  username: string;
};
export type ApplicationPasswordPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<ApplicationPassword>;
};
export type Attachment = {
  s3_object: string;
  name: string;
  content_type: string;
  size_bytes: number;
  created_at: string;
};
export type AuthorizationAnswer = {
  location: string;
};
export type AuthorizationQuestion = {
  client_name: string;
  destination: string;
  scopes: Array<'read' | 'write' | 'plan'>;
};
export type Backup = {
  id: string;
  commit_hash: string;
  created_at: string;
  finished_at: string;
  tables_saved: Array<string>;
  tables_skipped: Array<string>;
  files_added: number;
  files_changed: number;
  files_removed: number;
  stored_bytes: number;
  not_saved: Array<{
    kind: 'file' | 'table';
    name: string;
    reason: string;
  }>;
  is_consistent: boolean;
};
export type BackupOrBackups = Backup | Array<Backup>;
export type BlobUrls = {
  urls: Array<{
    key: string;
    version_id: string;
    url: string;
    expires_at: string;
  }>;
};
export type BreakSearch = {
  id: string;
  path: string;
  created_at: string;
  state: 'searching' | 'found' | 'never_fine' | 'never_broken' | 'failed';
  looks: number;
  of: number;
  good_point: string | null;
  bad_point: string | null;
  changes: Array<{
    kind: 'table' | 'file';
    name: string;
    change: 'added' | 'changed' | 'removed';
  }>;
  failure: string | null;
};
export type CertificateState = {
  state: 'none' | 'pending' | 'issued' | 'failing';
  source: 'acme' | 'own' | null;
  reason: string | null;
  expires_at: string | null;
  next_try_at: string | null;
};
export type ChangedSiteFile = {
  path: string;
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
  modified_at: string;
  version: string | null;
  syntax_error: PhpFault | null;
};
export type CheckedSiteDomain = {
  fqdn: string;
  is_primary: boolean;
  mode: 'redirect' | 'serve';
  verified: boolean;
  looked_at: string | null;
  pair: string | null;
  certificate: CertificateState;
  created_at: string;
  records: Array<{
    type: 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';
    name: string;
    expected: string;
    found: Array<string>;
    ok: boolean;
  }>;
};
export type Checkout = {
  id: string;
  status: 'open' | 'paid' | 'closed';
  plan_name: 'free' | 'micro' | 'starter' | 'business';
  interval: 'month' | 'year';
  team_name: string;
  team_id: string | null;
  created_at: string;
};
export type CodeServerLogin = {
  url: string;
  expires_at: string;
};
export type CreatedApiToken = {
  id: string;
  name: string;
  scopes: Array<'read' | 'write' | 'plan'>;
  team_id: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  created_at: string;
  token: string;
};
export type CreatedPasskey = {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
  recovery_codes: Array<string>;
};
export type DeletedApplicationPassword = {
  id: string;
  team_id: string;
  user_id: string;
  fqdn: string;
  username: string;
  created_at: string;
  password: string;
};
export type DeletedSite = {
  id: string;
  fqdn: string;
  team_id: string;
  team_name: string;
  storage_bytes: number;
  deleted_by: {
    id: string;
    email: string;
    first_name: string;
    last_name: string;
    full_name: string;
    is_active: boolean;
    is_verified: boolean;
    is_superuser: boolean;
    is_payment_verified: boolean;
    analytics_user_id: string | null;
    created_at: string;
  } | null;
  deleted_at: string;
  purge_after: string;
};
export type DeletedSitePage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<DeletedSite>;
};
export type DeviceCodes = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval: number;
};
export type DeviceGrant = {
  access_token: string;
  token_type: 'bearer';
  scope: string;
  team_id: string | null;
  expires_at: string | null;
};
export type DeviceSignIn = {
  client_name: string;
  ip: string;
  created_at: string;
  expires_at: string;
};
export type Diagnosis = {
  fqdn: string;
  looked_at: string;
  woke: boolean;
  findings: Array<{
    level: 'problem' | 'hint' | 'fine';
    text: string;
    suggestion: {
      label: string;
      operation: string;
      input: Record<string, unknown>;
    } | null;
  }>;
  front_page: {
    status: number;
    duration_ms: number;
    failing_since: string | null;
    last_good_at: string | null;
  } | null;
  errors: Array<{
    at: string;
    level: string;
    message: string;
    file: string | null;
    line: number | null;
  }>;
  changes: Array<{
    at: string;
    kind: 'plugin' | 'must-use plugin' | 'theme' | 'other' | 'event';
    name: string | null;
    text: string;
  }>;
  looks: Array<{
    name: 'state' | 'front_page' | 'errors' | 'dns' | 'certificate' | 'plan' | 'timeline' | 'changes' | 'traffic';
    ok: boolean;
    text: string;
  }>;
};
export type DomainClaim = {
  fqdn: string;
  team_id: string;
  type: 'TXT';
  name: string;
  value: string;
  seen: boolean;
};
export type Empty = Record<string, never>;
export type Error = {
  detail: string;
  code: string;
};
export type Event = {
  id: string;
  activity: string;
  description: string | null;
  detail: Record<string, unknown>;
  event_type: string;
  scope: 'account' | 'team' | 'site' | 'stage';
  fqdn: string | null;
  item_id: string | null;
  site_live_id: string | null;
  team_id: string | null;
  unread: boolean;
  user: {
    id: string;
    email: string;
    first_name: string;
    last_name: string;
    full_name: string;
    is_active: boolean;
    is_verified: boolean;
    is_superuser: boolean;
    is_payment_verified: boolean;
    analytics_user_id: string | null;
    created_at: string;
  } | null;
  user_id: string | null;
  created_at: string;
  finished_at: string | null;
};
export type EventPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Event>;
};
export type Extension = {
  kind: 'plugin' | 'theme';
  name: string;
  title: string;
  version: string | null;
  state: 'active' | 'inactive' | 'parent' | 'must_use';
  update: string | null;
};
export type ExternalPath = {
  id: string;
  path: string;
  external_name: string;
  created_at: string;
};
export type ExternalPathPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<ExternalPath>;
};
export type FailedJob = {
  id: string;
  queue: string;
  kind: string;
  payload: Record<string, unknown>;
  error: string | null;
  created_at: string;
};
export type FailedJobPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<FailedJob>;
};
export type FoundSiteFiles = {
  matches: Array<SiteFileMatch>;
  is_complete: boolean;
};
export type GitAccount = {
  id: string;
  provider: 'github' | 'gitlab' | 'gitea' | 'ssh';
  base_url: string;
  login: string | null;
  public_key: string | null;
  problem: string | null;
  created_at: string;
};
export type GitAccountPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<GitAccount>;
};
export type GitChanges = {
  base: string;
  point: string;
  added: number;
  changed: number;
  deleted: number;
  folders: Array<{
    path: string;
    is_new: boolean;
    added: number;
    changed: number;
    deleted: number;
    size: number;
  }>;
  files: Array<{
    path: string;
    change: 'added' | 'changed' | 'deleted';
    size: number;
    folder: string;
  }>;
  is_truncated: boolean;
  left_out: Array<{
    path: string;
    reason: 'link' | 'secret' | 'name' | 'ignored' | 'unexported' | 'unread';
  }>;
  left_out_count: number;
};
export type GitCommit = {
  branch: string;
  hash: string | null;
  url: string | null;
  is_synced: boolean;
  added: number;
  changed: number;
  deleted: number;
  left_out: Array<{
    path: string;
    reason: 'link' | 'secret' | 'name' | 'ignored' | 'unexported' | 'unread';
  }>;
  left_out_count: number;
};
export type GitLink = {
  git_url: string;
  branch: string | null;
  last_sync_hash: string | null;
  problem: string | null;
  account: string | null;
  is_account_missing: boolean;
  hook_url: string;
  hook_secret: string;
};
export type GitSyncRepository = {
  git_url: string;
  provider: 'github' | 'gitlab' | 'gitea' | 'ssh' | 'git';
  default_branch: string | null;
  branches: Array<string>;
  linked_sites: Array<string>;
};
export type HeldMail = {
  id: string;
  sender: string;
  recipients: Array<string>;
  subject: string;
  text: string;
  html: string | null;
  attachments: Array<string>;
  written_at: string;
};
export type HeldMailPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<HeldMail>;
};
export type InternalError = {
  detail: string;
  code: string;
  request_id: string;
};
export type Introspection = {
  active: boolean;
  kind: 'session' | 'api_token' | 'metrics' | 'ssh_key' | 'oauth' | 'view';
  scopes: Array<'read' | 'write' | 'plan'>;
  user_id: string;
  team_id: string | null;
  expires_at: string | null;
};
export type LabelledSites = {
  changed: number;
};
export type LinkAnswer = {
  access_token?: string;
  token_type?: 'bearer';
  expires_in?: number;
  second_step?: SecondStep;
};
export type Me = {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  full_name: string;
  is_active: boolean;
  is_verified: boolean;
  is_superuser: boolean;
  is_payment_verified: boolean;
  analytics_user_id: string | null;
  created_at: string;
  default_region: string | null;
  view: {
    operator_name: string;
    expires_at: string;
  } | null;
  pending_email: string | null;
};
export type MetricsDashboard = {
  url: string | null;
};
export type MetricsTokenGrant = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  scope: string;
};
export type MetricsUser = {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
  login: string;
  role: 'operator' | 'customer';
  groups: Array<string>;
  teams: Array<{
    id: string;
    name: string;
    role: string;
    metrics_org_id: number | null;
  }>;
};
export type MyAddress = {
  address: string;
};
export type NewTotp = {
  secret: string;
  uri: string;
};
export type Notifications = {
  backups: boolean;
  billing: boolean;
  sites: boolean;
  tickets: boolean;
  updates: boolean;
  usage: boolean;
  webhooks: boolean;
};
export type OAuthGrant = {
  id: string;
  client_name: string;
  scopes: Array<'read' | 'write' | 'plan'>;
  team_id: string | null;
  created_at: string;
  last_used_at: string | null;
  expires_at: string;
};
export type OAuthGrantPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<OAuthGrant>;
};
export type OAuthTokens = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
  refresh_token: string;
  scope: string;
};
export type OpenedInvite = {
  team_name: string;
  target_email: string;
  first_name: string | null;
  role: 'admin' | 'member' | 'viewer';
  expiry: string;
};
export type OpenTerminal = {
  session_id: string;
  opened_at: string;
  is_attended: boolean;
};
export type OperatorRegion = {
  id: number;
  name: string;
  city: string;
  country: string;
  country_code: string;
  cname: string;
  ip: string;
  name_servers: Array<string>;
  site_domain: string;
  stage_domain: string;
  created_at: string;
  cluster: string | null;
};
export type OwnTickets = {
  id?: string;
  team_id?: string;
  user?: User;
  subject?: string;
  description?: string;
  category?: string | null;
  is_assistant_thread?: boolean;
  messages_remaining?: number;
  assistant_custom_instructions?: string | null;
  resolved?: boolean;
  resolved_at?: string | null;
  waits_for?: 'support' | 'asker' | null;
  assignee?: {
    id: string;
    email: string;
    first_name: string;
    last_name: string;
    full_name: string;
    is_active: boolean;
    is_verified: boolean;
    is_superuser: boolean;
    is_payment_verified: boolean;
    analytics_user_id: string | null;
    created_at: string;
  } | null;
  site_live_id?: string | null;
  fqdn?: string | null;
  attachments?: Array<Attachment>;
  active_at?: string;
  ticket_replies?: Array<TicketReply>;
  ticket_replies_count?: number;
  ticket_replies_next?: string | null;
  created_at?: string;
  count?: number;
  limit?: number;
  next?: string | null;
  offset?: number;
  previous?: string | null;
  results?: Array<Ticket>;
};
export type Passkey = {
  id: string;
  name: string;
  created_at: string;
  last_used_at: string | null;
};
export type PasskeyOptions = {
  challenge: string;
  options: Record<string, unknown>;
};
export type Person = {
  id: string;
  kind: 'member' | 'invite';
  role: 'owner' | 'admin' | 'member' | 'viewer' | 'limited';
  user_id: string | null;
  email: string;
  full_name: string;
  since: string;
  expiry: string | null;
  site_count: number | null;
  link: string;
};
export type PersonPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Person>;
};
export type PhpFault = {
  message: string;
  line: number | null;
};
export type PitFiles = {
  backup_point: string;
  files: Array<{
    key: string;
    size: number;
    modified_at: string;
    version_id: string;
  }>;
  is_truncated: boolean;
};
export type PitPreview = {
  id: string;
  site_live_id: string;
  for_stage_site: boolean;
  restore_point: string;
  backup_point: string | null;
  undo_point: string | null;
  is_undone: boolean;
  undoes: {
    kind: 'restore' | 'stage_commit';
    created_at: string;
  } | null;
  git_restore_hash: string | null;
  db_restore_hash: string | null;
  restore_db: boolean;
  restore_cms_content: boolean;
  delete_extra_files: boolean;
  is_dry_run: boolean;
  passed_dry_run: boolean | null;
  num_files_added: number | null;
  num_files_deleted: number | null;
  num_files_restored: number | null;
  num_folders_added: number | null;
  num_tables_deleted: number | null;
  num_tables_failed: number | null;
  num_tables_restored: number | null;
  num_tables_skipped: number | null;
  failed_reason: string | null;
  created_at: string;
  finished_at: string | null;
  changes: {
    files: Array<{
      key: string;
      change: 'added' | 'restored' | 'deleted';
      size: number;
      version_id_now: string | null;
      version_id: string | null;
    }>;
    tables: Array<{
      name: string;
      change: 'restored' | 'deleted' | 'failed';
      reason: string | null;
      rows_added: number;
      rows_changed: number;
      rows_removed: number;
      sample: Array<{
        key: Array<unknown>;
        now: Record<string, unknown> | null;
        at_point: Record<string, unknown> | null;
      }>;
    }>;
    is_truncated: boolean;
  };
  changes_count: number | null;
  changes_next: string | null;
  browse: {
    url: string;
    expires_at: string;
  } | null;
};
export type PitRestore = {
  id: string;
  site_live_id: string;
  for_stage_site: boolean;
  restore_point: string;
  backup_point: string | null;
  undo_point: string | null;
  is_undone: boolean;
  undoes: {
    kind: 'restore' | 'stage_commit';
    created_at: string;
  } | null;
  git_restore_hash: string | null;
  db_restore_hash: string | null;
  restore_db: boolean;
  restore_cms_content: boolean;
  delete_extra_files: boolean;
  is_dry_run: boolean;
  passed_dry_run: boolean | null;
  num_files_added: number | null;
  num_files_deleted: number | null;
  num_files_restored: number | null;
  num_folders_added: number | null;
  num_tables_deleted: number | null;
  num_tables_failed: number | null;
  num_tables_restored: number | null;
  num_tables_skipped: number | null;
  failed_reason: string | null;
  created_at: string;
  finished_at: string | null;
};
export type PitRestoreDetail = {
  id: string;
  site_live_id: string;
  for_stage_site: boolean;
  restore_point: string;
  backup_point: string | null;
  undo_point: string | null;
  is_undone: boolean;
  undoes: {
    kind: 'restore' | 'stage_commit';
    created_at: string;
  } | null;
  git_restore_hash: string | null;
  db_restore_hash: string | null;
  restore_db: boolean;
  restore_cms_content: boolean;
  delete_extra_files: boolean;
  is_dry_run: boolean;
  passed_dry_run: boolean | null;
  num_files_added: number | null;
  num_files_deleted: number | null;
  num_files_restored: number | null;
  num_folders_added: number | null;
  num_tables_deleted: number | null;
  num_tables_failed: number | null;
  num_tables_restored: number | null;
  num_tables_skipped: number | null;
  failed_reason: string | null;
  created_at: string;
  finished_at: string | null;
  changes?: {
    files: Array<{
      key: string;
      change: 'added' | 'restored' | 'deleted';
      size: number;
      version_id_now: string | null;
      version_id: string | null;
    }>;
    tables: Array<{
      name: string;
      change: 'restored' | 'deleted' | 'failed';
      reason: string | null;
      rows_added: number;
      rows_changed: number;
      rows_removed: number;
      sample: Array<{
        key: Array<unknown>;
        now: Record<string, unknown> | null;
        at_point: Record<string, unknown> | null;
      }>;
    }>;
    is_truncated: boolean;
  } | null;
  changes_count?: number | null;
  changes_next?: string | null;
};
export type PitRestorePage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<PitRestore>;
};
export type Plan = {
  name: 'free' | 'micro' | 'starter' | 'business';
  sites: number;
  storage_bytes: number;
  visits: number;
  bandwidth_bytes: number;
  restore_window_hours: number;
  assistant_messages: number;
  price_month_cents: number;
  price_year_cents: number;
  currency: string;
};
export type PlatformOverview = {
  read_at: string;
  people: number;
  teams: {
    all: number;
    suspended: number;
    unpaid: number;
    ending: number;
  };
  sites: {
    ready: number;
    sleeping: number;
    busy: number;
  };
  hosts: Array<{
    name: string;
    read_at: string;
    disk_bytes: number;
    disk_free_bytes: number;
    memory_bytes: number;
    memory_free_bytes: number;
    cores: number;
    load: number;
    sites_awake: number;
    php_processes: number;
    php_waiting: number;
    php_used_bytes: number;
    php_budget_bytes: number;
    php_is_short: boolean;
    backup_queue: {
      objects: number;
      bytes: number;
      oldest_seconds: number;
      trouble: string | null;
    };
  }>;
  traffic: {
    last_hour: {
      at: string;
      requests: number;
      failures: number;
      p50_ms: number | null;
      p95_ms: number | null;
      cached_percentage: number | null;
    };
    points: Array<{
      at: string;
      requests: number;
      failures: number;
      p50_ms: number | null;
      p95_ms: number | null;
      cached_percentage: number | null;
    }>;
  };
  queue: {
    waiting: number;
    active: number;
    oldest_seconds: number;
    failed: number;
    lanes: Array<{
      name: string;
      waiting: number;
      active: number;
      oldest_seconds: number;
    }>;
  };
  revenue: {
    month_cents: number;
    currency: string;
    plans: Array<{
      name: 'free' | 'micro' | 'starter' | 'business';
      teams: number;
      month_cents: number;
    }>;
  };
  certificates: {
    issued: number;
    failing: number;
    expiring: number;
    worst: Array<{
      name: string;
      failures: number;
      reason: string | null;
      expires_at: string | null;
      next_try_at: string;
    }>;
  };
  backups: {
    due: number;
    overdue_seconds: number;
    failing: number;
    worst: Array<{
      site_id: string;
      fqdn: string;
      failing_since: string;
      failures: number;
      reason: string | null;
    }>;
  };
  platform_backup: {
    last_at: string | null;
    age_seconds: number;
  };
};
export type Preview = {
  id: string;
  fqdn: string;
  is_of_stage: boolean;
  restore_point: string;
  is_ready: boolean;
  url: string | null;
  expires_at: string;
};
export type Proposal = {
  id: string;
  operation: string;
  input: Record<string, unknown>;
  summary: string;
  description: string;
  preview: Record<string, unknown> | null;
  state: 'open' | 'confirmed' | 'refused' | 'expired' | 'failed';
  result: {
    status: number;
    operation_id: string | null;
    detail: string | null;
    body: unknown;
  } | null;
  source: 'api' | 'mcp' | 'ticket';
  team_id: string | null;
  ticket_id: string | null;
  reply_id: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
};
export type ProposalSummary = {
  id: string;
  operation: string;
  summary: string;
  description: string;
  state: 'open' | 'confirmed' | 'refused' | 'expired' | 'failed';
  source: 'api' | 'mcp' | 'ticket';
  team_id: string | null;
  ticket_id: string | null;
  reply_id: string | null;
  created_at: string;
  expires_at: string;
  decided_at: string | null;
  result: {
    status: number;
    operation_id: string | null;
    detail: string | null;
  } | null;
};
export type ProposalSummaryPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<ProposalSummary>;
};
export type ProxyAnswer = {
  status_code: number;
  headers: Record<string, unknown>;
  body: unknown;
  body_encoding: 'json' | 'text' | 'base64' | 'empty';
};
export type Reachability = {
  state: 'live' | 'protected' | 'dns_pending' | 'certificate_pending' | 'asleep' | 'failing' | 'busy' | 'stopped';
  reason: string | null;
  since: string | null;
  certificate: CertificateState;
};
export type RecoveryCodes = {
  recovery_codes: Array<string>;
};
export type Region = {
  id: number;
  name: string;
  city: string;
  country: string;
  country_code: string;
  cname: string;
  ip: string;
  name_servers: Array<string>;
  site_domain: string;
  stage_domain: string;
  created_at: string;
};
export type ReplayedDeliveries = {
  count: number;
};
export type RestorePoint = {
  id: string;
  name: string;
  restore_point: string;
  commit_hash: string;
  created_at: string;
};
export type RestorePointPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<RestorePoint>;
};
export type SecondFactor = {
  is_on: boolean;
  totp_since: string | null;
  passkeys: Array<Passkey>;
  recovery_codes_left: number;
  can_have_passkeys: boolean;
};
export type SecondStep = {
  challenge: string;
  methods: Array<'totp' | 'passkey' | 'recovery_code'>;
  passkey_options: Record<string, unknown> | null;
};
export type Session = {
  id: string;
  is_current: boolean;
  browser: string | null;
  address: string | null;
  last_used_at: string | null;
  expires_at: string | null;
  created_at: string;
};
export type SessionPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Session>;
};
export type SessionUrl = {
  url: string;
};
export type ShellResult = {
  exit_code: number;
  stdout: string;
  stderr: string;
  duration_ms: number;
  truncated: boolean;
  restore_point: {
    name: string;
    commit_hash: string;
    created_at: string;
  } | null;
  restore_point_before: {
    name: string;
    commit_hash: string;
    created_at: string;
  } | null;
  backup_failure: string | null;
};
export type Site = {
  id: string;
  fqdn: string;
  team: Team;
  team_id: string;
  tenant_id: string;
  created_by: User;
  user_id: string;
  region_id: number;
  active: boolean;
  busy: string | null;
  reachability: Reachability;
  is_sleeping: boolean;
  is_free: boolean;
  is_testing: boolean;
  is_ns_root: boolean;
  domain_option: 'platform' | 'custom';
  title: string;
  labels: Array<string>;
  favicon_url: string;
  http_auth_enabled: boolean;
  http_auth_password: string;
  debug_enabled: boolean;
  code_server_enabled: boolean;
  code_server_password: string;
  dkim_key: string | null;
  db_prefix: string;
  git_url: string | null;
  git_last_sync_hash: string | null;
  current_cycle_visits: number;
  current_cycle_bandwidth: number;
  current_storage: number;
  visits_by_day: Array<number>;
  min_restore_point: string;
  max_restore_point: string;
  external_paths: Array<ExternalPath>;
  properties: Record<string, unknown>;
  site_stage: {
    id: string;
    fqdn: string;
    git_branch: string | null;
    busy: string | null;
    is_sleeping: boolean;
    http_auth_enabled: boolean;
    debug_enabled: boolean;
    cdn_dev_mode_enabled: boolean;
    cdn_firewall_enabled: boolean;
    cdn_firewall_allowed_ips: Array<string>;
    created_at: string;
  } | null;
  updates_waiting: number;
  security_update: string | null;
  tracked_tables: Array<string>;
  untracked_tables: Array<string>;
  created_at: string;
};
export type SiteDomain = {
  fqdn: string;
  is_primary: boolean;
  mode: 'redirect' | 'serve';
  verified: boolean;
  looked_at: string | null;
  pair: string | null;
  certificate: CertificateState;
  created_at: string;
};
export type SiteDomains = {
  results: Array<SiteDomain>;
};
export type SiteError = {
  id: string;
  level: 'fatal' | 'warning' | 'notice' | 'deprecated' | 'plain';
  message: string;
  file: string | null;
  line: number | null;
  request: string | null;
  count: number;
  first_at: string;
  last_at: string;
};
export type SiteErrorPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<SiteError>;
};
export type SiteFile = {
  path: string;
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
  modified_at: string;
  version: string | null;
  content: string | null;
  not_shown: 'binary' | 'too_large' | null;
  entries: Array<SiteFileEntry> | null;
  is_truncated: boolean;
};
export type SiteFileEntry = {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  size: number;
  modified_at: string;
};
export type SiteFileHistory = {
  versions: Array<SiteFileVersion>;
  next_before: string | null;
};
export type SiteFileMatch = {
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  line: number | null;
  excerpt: string | null;
};
export type SiteFileVersion = {
  at: string;
  since: string;
  exists: boolean;
  size: number | null;
  modified_at: string | null;
  version_id: string | null;
};
export type SiteHappenings = {
  from: string;
  until: string;
  from_hash: string;
  until_hash: string;
  happened: Array<{
    kind: 'core' | 'plugin' | 'theme' | 'content' | 'order' | 'user' | 'comment' | 'media' | 'setting' | 'file';
    change: 'added' | 'changed' | 'removed';
    text: string;
    what: string;
    count: number;
  }>;
};
export type SiteLabel = {
  label: string;
  sites: number;
};
export type SiteLabels = {
  results: Array<SiteLabel>;
};
export type SiteLogEntry = SiteLogError | SiteLogVisit | SiteLogNote;
export type SiteLogError = {
  id: string;
  kind: 'error';
  at: string;
  level: 'fatal' | 'warning' | 'notice' | 'deprecated' | 'plain';
  message: string;
  file: string | null;
  line: number | null;
  request: string | null;
};
export type SiteLogin = {
  url: string;
  expires_at: string;
};
export type SiteLogNote = {
  id: string;
  kind: 'note';
  at: string;
  message: string;
};
export type SiteLogPage = {
  results: Array<SiteLogEntry>;
  next_cursor: string | null;
};
export type SiteLogVisit = {
  id: string;
  kind: 'access';
  at: string;
  method: string;
  path: string;
  status: number;
  bytes: number;
  duration_ms: number;
  cache: string | null;
  client_address: string;
  user_agent: string | null;
  referrer: string | null;
};
export type SiteMoment = {
  at: string;
  commit_hash: string;
  place: number;
  kind: 'restore' | 'commit' | 'deploy' | 'first' | 'more' | 'core' | 'plugin' | 'theme' | 'content' | 'order' | 'user' | 'comment' | 'media' | 'setting' | 'file';
  change: 'added' | 'changed' | 'removed';
  text: string;
  point: string | null;
};
export type SiteMomentPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<SiteMoment>;
};
export type SiteName = {
  fqdn: string;
  is_free: boolean;
};
export type SitePage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Site>;
};
export type SiteUsage = {
  step: 'hour' | 'day';
  from: string;
  to: string;
  points: Array<{
    at: string;
    visits: number;
    requests: number;
    bytes: number;
    cached_bytes: number;
    cache_hits: number;
    cache_misses: number;
    errors: number;
    p95_ms: number | null;
  }>;
  p95_ms: number | null;
};
export type SiteUse = {
  site_id: string;
  fqdn: string;
  visits: number;
  bandwidth_bytes: number;
  storage_bytes: number;
};
export type SiteUsePage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<SiteUse>;
};
export type SiteView = {
  id: string;
  team_id: string;
  name: string;
  search: string;
  label: string;
  state: string;
  sort: string;
  layout: string;
  created_at: string;
};
export type SiteViewPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<SiteView>;
};
export type Software = {
  checked_at: string | null;
  core_version: string | null;
  core_versions: Array<string>;
  core_update: string | null;
  php_version: string | null;
  php_versions: Array<string>;
  updates_waiting: number;
  extensions: Array<Extension>;
  health: Array<{
    level: 'critical' | 'recommended';
    title: string;
    text: string;
  }>;
  problem: string | null;
  change: {
    id: string;
    created_at: string;
    state: 'running' | 'kept' | 'taken_back' | 'failed';
    step: string | null;
    changes: Array<{
      kind: 'plugin' | 'theme' | 'core' | 'php';
      action: 'update' | 'activate' | 'deactivate' | 'delete' | 'install';
      name: string;
      title: string;
      from: string | null;
      to: string | null;
      error: string | null;
    }>;
    checks: Array<{
      page: string;
      before: number | null;
      after: number | null;
    }>;
    php: Array<string>;
    failure: string | null;
    undo_point: string | null;
  } | null;
};
export type SshKey = {
  id: string;
  name: string;
  type: string;
  fingerprint: string;
  last_used_at: string | null;
  created_at: string;
};
export type SshKeyPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<SshKey>;
};
export type SshServer = {
  is_enabled: boolean;
  hostname: string;
  port: number | null;
  host_key: string;
  host_key_fingerprint: string;
};
export type StageChanges = {
  plan: string;
  base_point: string;
  stage_point: string;
  live_point: string;
  summary: Array<{
    side: 'stage' | 'live' | 'both';
    change: 'added' | 'changed' | 'removed';
    what: string;
    count: number;
    titles: Array<string>;
    text: string;
  }>;
  rows: {
    stage: number;
    live: number;
    both: number;
  };
  files: {
    stage: number;
    live: number;
    both: number;
  };
  tables: Array<{
    name: string;
    problem: 'gone' | 'made' | 'keyless' | 'large' | 'unread' | null;
    stage: 'added' | 'removed' | null;
    live: 'added' | 'removed' | 'changed' | null;
    counts: {
      stage: number;
      live: number;
      both: number;
    };
    sample: Array<{
      side: 'stage' | 'live' | 'both';
      base: Record<string, never> | null;
      stage: Record<string, never> | null;
      live: Record<string, never> | null;
    }>;
  }>;
  changed_files: Array<{
    path: string;
    side: 'stage' | 'live' | 'both';
    stage: 'added' | 'changed' | 'removed' | null;
    live: 'added' | 'changed' | 'removed' | null;
    size: number;
  }>;
  count: number;
  next: string | null;
};
export type StageSite = {
  id: string;
  fqdn: string;
  git_branch: string | null;
  busy: string | null;
  is_sleeping: boolean;
  http_auth_enabled: boolean;
  debug_enabled: boolean;
  cdn_dev_mode_enabled: boolean;
  cdn_firewall_enabled: boolean;
  cdn_firewall_allowed_ips: Array<string>;
  created_at: string;
};
export type SyncedBilling = {
  team_ids: Array<string>;
};
export type Team = {
  id: string;
  name: string;
  user: User;
  user_id: string;
  role: 'owner' | 'admin' | 'member' | 'viewer' | null;
  is_limited: boolean;
  tenant_id: string;
  timezone: string;
  plan_type: Plan;
  plan_type_name: 'free' | 'micro' | 'starter' | 'business';
  is_default: boolean;
  is_active: boolean;
  is_expired: boolean;
  additional_sites: number | null;
  metrics_org_id: number | null;
  analytics_team_id: string | null;
  should_allow_storefront_payment: boolean;
  sub_id: string | null;
  interval: 'month' | 'year' | null;
  currency: string | null;
  cancel_at: string | null;
  cancel_at_period_end: boolean;
  trial_ends_on: string | null;
  cycle_start: string | null;
  cycle_end: string | null;
  current_cycle_visits: number;
  current_cycle_bandwidth: number;
  visits_usage_percentage: number;
  storage_usage: number;
  storage_usage_percentage: number;
  storage_is_used_up: boolean;
  update_policy: 'off' | 'security' | 'all';
  update_plugins: Array<string>;
  created_at: string;
};
export type TeamAttention = {
  sites: {
    total: number;
    awake: number;
    asleep: number;
    busy: number;
  };
  items: Array<{
    kind: 'payment' | 'storage' | 'errors' | 'backup' | 'security' | 'certificate' | 'dns' | 'updates';
    severity: 'danger' | 'warning';
    fqdn: string | null;
    sites: number;
    name: string | null;
    twin: string | null;
    reason: string | null;
    since: string | null;
  }>;
};
export type TeamBilling = {
  plan_name: 'free' | 'micro' | 'starter' | 'business';
  interval: 'month' | 'year' | null;
  price_cents: number;
  currency: string;
  additional_sites: number;
  additional_site_cents: number;
  state: 'active' | 'trialing' | 'past_due' | 'grace' | 'expired' | 'canceled';
  renews_at: string | null;
  ends_at: string | null;
  trial_ends_on: string | null;
  unpaid_since: string | null;
  expires_at: string | null;
  cycle_start: string;
  cycle_end: string;
  provider: 'stripe' | 'test' | null;
  forecast: {
    visits: number;
    bandwidth_bytes: number;
  } | null;
  limits: {
    sites: {
      used: number;
      allowed: number;
    };
    storage_bytes: {
      used: number;
      allowed: number;
    };
    visits: {
      used: number;
      allowed: number;
    };
    bandwidth_bytes: {
      used: number;
      allowed: number;
    };
  };
};
export type TeamBills = {
  card: {
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
  } | null;
  invoices: Array<{
    id: string;
    number: string | null;
    status: 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';
    total_cents: number;
    currency: string;
    created_at: string;
    url: string | null;
    pdf_url: string | null;
  }>;
  is_yours: boolean;
};
export type TeamInvite = {
  id: string;
  created_at: string;
  created_by: string | null;
  expiry: string;
  first_name: string | null;
  link: string;
  role: 'admin' | 'member' | 'viewer';
  site_ids: Array<string> | null;
  target_email: string;
};
export type TeamInvitePage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<TeamInvite>;
};
export type TeamMember = {
  id: string;
  joined_at: string;
  level: number;
  role: string;
  sites: Array<{
    site_id: string;
    fqdn: string;
    role: 'admin' | 'member' | 'viewer';
  }>;
  team_id: string;
  user: User;
  user_id: string;
};
export type TeamMemberPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<TeamMember>;
};
export type TeamPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Team>;
};
export type TeamUsage = {
  step: 'hour' | 'day';
  from: string;
  to: string;
  points: Array<{
    at: string;
    visits: number;
    bytes: number;
  }>;
};
export type Template = {
  id: string;
  name: string;
  description: string;
  tag: 'business' | 'blog' | 'portfolio' | 'other';
  url: string;
  is_public: boolean | null;
  approved: boolean;
  plugins: Array<string> | null;
  readme: string | null;
  ready: boolean;
  demo_url: string | null;
  picture_url: string | null;
  team_id: string | null;
  user_id: string | null;
  created_at: string;
};
export type TemplatePage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Template>;
};
export type TerminalTicket = {
  session_id: string;
  ticket: string;
  expires_at: string;
  socket_path: string;
};
export type TestCheckout = {
  id: string;
  status: 'open' | 'complete' | 'expired';
  plan_name: 'free' | 'micro' | 'starter' | 'business';
  interval: 'month' | 'year';
  amount_cents: number;
  currency: string;
  team_name: string;
  success_url: string;
  cancel_url: string;
};
export type TestPortal = {
  id: string;
  return_url: string;
  subscriptions: Array<{
    id: string;
    team_name: string;
    status: string;
    plan_name: 'free' | 'micro' | 'starter' | 'business';
    interval: 'month' | 'year';
    amount_cents: number;
    currency: string;
    current_period_end: string;
    cancel_at_period_end: boolean;
  }>;
};
export type Ticket = {
  id: string;
  team_id: string;
  user: User;
  subject: string;
  description: string;
  category: string | null;
  is_assistant_thread: boolean;
  messages_remaining: number;
  assistant_custom_instructions: string | null;
  resolved: boolean;
  resolved_at: string | null;
  waits_for: 'support' | 'asker' | null;
  assignee: {
    id: string;
    email: string;
    first_name: string;
    last_name: string;
    full_name: string;
    is_active: boolean;
    is_verified: boolean;
    is_superuser: boolean;
    is_payment_verified: boolean;
    analytics_user_id: string | null;
    created_at: string;
  } | null;
  site_live_id: string | null;
  fqdn: string | null;
  attachments: Array<Attachment>;
  active_at: string;
  ticket_replies: Array<TicketReply>;
  ticket_replies_count: number;
  ticket_replies_next: string | null;
  created_at: string;
};
export type TicketContext = {
  team: {
    id: string;
    name: string;
    plan_type_name: string;
  };
  site: {
    id: string;
    fqdn: string;
    is_sleeping: boolean;
    busy: string | null;
    wordpress_version: string | null;
    php_version: string | null;
    created_at: string;
  } | null;
  errors: Array<{
    at: string;
    level: string;
    message: string;
    file: string | null;
    line: number | null;
  }>;
  changes: Array<Event>;
};
export type TicketPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Ticket>;
};
export type TicketReply = {
  id: string;
  created_at: string;
  description: string | null;
  is_assistant_chat_message: boolean | null;
  assistant_message_id: string | null;
  resolve: boolean | null;
  user: User;
  assistant_steps: Array<{
    operation: string;
    text: string;
    ok: boolean;
  }>;
  proposals: Array<ProposalSummary>;
  attachments: Array<Attachment>;
};
export type TicketReplyPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<TicketReply>;
};
export type TokenGrant = {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
};
export type User = {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  full_name: string;
  is_active: boolean;
  is_verified: boolean;
  is_superuser: boolean;
  is_payment_verified: boolean;
  analytics_user_id: string | null;
  created_at: string;
};
export type UserPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<User>;
};
export type ValidationError = {
  detail: Array<{
    loc: Array<string | number>;
    msg: string;
    type: string;
  }>;
  code?: string;
};
export type VerifiedDomain = {
  verified: boolean;
  records: Array<{
    type: 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';
    name: string;
    expected: string;
    found: Array<string>;
    ok: boolean;
  }>;
};
export type VerifiedRepository = {
  verified: boolean;
  git_url: string;
  branch: string;
  commit: string;
  root: '.' | 'wp-content';
  directories: Array<string>;
};
export type Webhook = {
  id: string;
  team_id: string;
  user_id: string;
  url: string;
  description: string;
  event_types: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.damaged' | 'backup.delayed' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'domain.added' | 'domain.certificate_failing' | 'domain.removed' | 'domain.updated' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.committed' | 'git.hook_renewed' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'member.updated' | 'proposal.confirmed' | 'restore.dry_run' | 'restore.point_named' | 'restore.point_removed' | 'restore.preview' | 'restore.searched' | 'restore.started' | 'site.cache_cleared' | 'site.created' | 'site.deleted' | 'site.failing' | 'site.labelled' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'software.changed' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'stage.refreshed' | 'team.transferred' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'domain.*' | 'external_path.*' | 'git.*' | 'member.*' | 'proposal.*' | 'restore.*' | 'site.*' | 'software.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'>;
  is_active: boolean;
  disabled_reason: 'gone' | 'failing' | 'person_left' | null;
  failing_since: string | null;
  created_at: string;
};
export type WebhookDelivery = {
  id: string;
  webhook_id: string;
  event_id: string | null;
  event_type: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  attempted_at: string | null;
  delivered_at: string | null;
  response_status: number | null;
  duration_ms: number | null;
  error: string | null;
  created_at: string;
};
export type WebhookDeliveryDetail = {
  id: string;
  webhook_id: string;
  event_id: string | null;
  event_type: string;
  state: 'waiting' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  attempted_at: string | null;
  delivered_at: string | null;
  response_status: number | null;
  duration_ms: number | null;
  error: string | null;
  created_at: string;
  payload: Record<string, unknown>;
  response_body: string | null;
};
export type WebhookDeliveryPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<WebhookDelivery>;
};
export type WebhookPage = {
  count: number;
  limit: number;
  next: string | null;
  offset: number;
  previous: string | null;
  results: Array<Webhook>;
};
export type WebhookWithSecret = {
  id: string;
  team_id: string;
  user_id: string;
  url: string;
  description: string;
  event_types: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.damaged' | 'backup.delayed' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'domain.added' | 'domain.certificate_failing' | 'domain.removed' | 'domain.updated' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.committed' | 'git.hook_renewed' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'member.updated' | 'proposal.confirmed' | 'restore.dry_run' | 'restore.point_named' | 'restore.point_removed' | 'restore.preview' | 'restore.searched' | 'restore.started' | 'site.cache_cleared' | 'site.created' | 'site.deleted' | 'site.failing' | 'site.labelled' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'software.changed' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'stage.refreshed' | 'team.transferred' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'domain.*' | 'external_path.*' | 'git.*' | 'member.*' | 'proposal.*' | 'restore.*' | 'site.*' | 'software.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'>;
  is_active: boolean;
  disabled_reason: 'gone' | 'failing' | 'person_left' | null;
  failing_since: string | null;
  created_at: string;
  secret: string;
};

/** The codes that every operation can fail with. */
export type CommonError = 'database.unavailable' | 'internal' | 'rate_limit.exceeded' | 'request.malformed' | 'service.disk_full';

/** What each operation takes and answers, and the codes that it can fail with besides the common ones. */
export interface Operations {
  /** Sign in with email address and password (OAuth2 password grant); sets the session cookie too */
  signIn: { input: { body: {
      grant_type?: 'password' | null;
      username: string;
      password: string;
    } }; output: TokenGrant; errors: 'account.blocked' | 'auth.bad_sign_in' | 'auth.second_step_needed' | 'auth.too_many_failures' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** End every credential that comes with the request: the bearer token and the session cookie */
  signOut: { input: Record<never, never>; output: Empty; errors: 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'request.conflict' | 'request.too_large' };
  /** What the credential of this request may do */
  introspectToken: { input: Record<never, never>; output: Introspection; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Your personal API tokens */
  listApiTokens: { input: { query?: { page?: number; size?: number } }; output: ApiTokenPage; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.required' };
  /** Make a personal API token; the token itself is shown only in this answer */
  createApiToken: { input: { body: {
      name: string;
      scopes: Array<'read' | 'write' | 'plan'>;
      team_id?: string | null;
      expires_at?: string | null;
    } }; output: CreatedApiToken; errors: 'api_token.too_many' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Revoke a personal API token, at once */
  deleteApiToken: { input: { params: { api_token_id: string } }; output: Empty; errors: 'api_token.not_found' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Finish signing in where the account has a second factor: with a code, a recovery code or a passkey */
  passSecondStep: { input: { body: {
      challenge: string;
      code?: string | null;
      recovery_code?: string | null;
      credential_id?: string | null;
      client_data?: string | null;
      authenticator_data?: string | null;
      signature?: string | null;
    } }; output: TokenGrant; errors: 'account.blocked' | 'auth.step_over' | 'auth.too_many_codes' | 'auth.view_only' | 'auth.wrong_code' | 'request.conflict' | 'request.too_large' };
  /** Begin to sign in with a passkey alone */
  beginPasskeySignIn: { input: Record<never, never>; output: PasskeyOptions; errors: 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Sign in with a passkey alone; sets the session cookie too */
  signInWithPasskey: { input: { body: {
      challenge: string;
      credential_id: string;
      client_data: string;
      authenticator_data: string;
      signature: string;
    } }; output: TokenGrant; errors: 'account.blocked' | 'auth.passkey_refused' | 'auth.step_over' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Where you are signed in */
  listSessions: { input: { query?: { page?: number; size?: number } }; output: SessionPage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.session_required' | 'auth.view_only' };
  /** Sign out everywhere but here, at once */
  deleteOtherSessions: { input: Record<never, never>; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Sign out somewhere, at once; open streams and terminals there end too */
  deleteSession: { input: { params: { session_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'session.not_found' };
  /** Begin to sign a program in by a code that its person types in the dashboard (RFC 8628) */
  beginDeviceSignIn: { input: { body?: {
      client_name?: string | null;
    } }; output: DeviceCodes; errors: 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Which program waits for a code to be confirmed */
  inspectDeviceSignIn: { input: { body: {
      user_code: string;
    } }; output: DeviceSignIn; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'device_sign_in.too_many_failures' | 'device_sign_in.unknown_code' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Let the program in: it gets a personal API token of yours */
  confirmDeviceSignIn: { input: { body: {
      user_code: string;
      scopes: Array<'read' | 'write' | 'plan'>;
      team_id?: string | null;
      expires_at?: string | null;
    } }; output: Empty; errors: 'api_token.too_many' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'device_sign_in.too_many_failures' | 'device_sign_in.unknown_code' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Tell the program that it is not let in */
  refuseDeviceSignIn: { input: { body: {
      user_code: string;
    } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'device_sign_in.too_many_failures' | 'device_sign_in.unknown_code' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Ask whether the code was confirmed, and get the token then, once */
  exchangeDeviceCode: { input: { body: {
      grant_type?: 'urn:ietf:params:oauth:grant-type:device_code' | null;
      client_id?: string | null;
      device_code: string;
    } }; output: DeviceGrant; errors: 'api_token.too_many' | 'auth.view_only' | 'device_sign_in.expired' | 'device_sign_in.invalid_code' | 'device_sign_in.pending' | 'device_sign_in.refused' | 'device_sign_in.slow_down' | 'request.conflict' | 'request.too_large' };
  /** What happened to a site, newest first: posts published, plugins updated, comments, restores */
  listMoments: { input: { params: { fqdn: string }; query?: { from?: string; until?: string; kind?: 'restore' | 'commit' | 'deploy' | 'first' | 'more' | 'core' | 'plugin' | 'theme' | 'content' | 'order' | 'user' | 'comment' | 'media' | 'setting' | 'file'; stage?: boolean; page?: number; size?: number } }; output: SiteMomentPage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' | 'stage.missing' };
  /** What became of a site from one kept minute to another, in words of WordPress: what a restore would take back */
  getHappenings: { input: { params: { fqdn: string }; query: { restore_point: string; until?: string; stage?: boolean } }; output: SiteHappenings; errors: 'auth.duplicate_cookie' | 'auth.required' | 'moment.not_told' | 'site.not_found' | 'stage.missing' };
  /** The minutes of a site that have a name, newest first */
  listRestorePoints: { input: { params: { fqdn: string }; query?: { stage?: boolean; page?: number; size?: number } }; output: RestorePointPage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' | 'stage.missing' };
  /** Give a kept minute a name; it is kept for as long as it has one */
  createRestorePoint: { input: { params: { fqdn: string }; body: {
      name: string;
      restore_point: string;
      for_stage_site?: boolean | null;
    } }; output: RestorePoint; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'restore_point.named' | 'restore_point.too_many' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Take the name of a minute away; it is kept for as long as any other */
  deleteRestorePoint: { input: { params: { fqdn: string; restore_point_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'restore_point.not_found' | 'site.not_found' };
  /** A program makes itself known, so that people can let it act for them (RFC 7591) */
  registerOAuthClient: { input: { body: {
      client_name?: string | null;
      redirect_uris: Array<string>;
    } }; output: Blob; errors: 'auth.view_only' | 'oauth.invalid_redirect_uri' | 'request.conflict' | 'request.too_large' };
  /** What a program asks you for */
  getAuthorization: { input: { query: { client_id: string; redirect_uri: string; response_type?: string; scope?: string; state?: string; code_challenge?: string; code_challenge_method?: string; resource?: string } }; output: AuthorizationQuestion; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'oauth.bad_request' | 'oauth.foreign_redirect' | 'oauth.unknown_client' };
  /** Let a program act for you, or refuse it */
  decideAuthorization: { input: { body: {
      client_id: string;
      redirect_uri: string;
      response_type?: string | null;
      scope?: string | null;
      state?: string | null;
      code_challenge?: string | null;
      code_challenge_method?: string | null;
      resource?: string | null;
      decision: 'allow' | 'deny';
      access?: 'read' | 'write' | 'plan' | null;
      team_id?: string | null;
    } }; output: AuthorizationAnswer; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'oauth.bad_request' | 'oauth.foreign_redirect' | 'oauth.unknown_client' | 'request.conflict' | 'request.too_large' };
  /** Tokens for a code or a refresh token (OAuth 2.1) */
  exchangeOAuthToken: { input: { body?: {
      grant_type?: string | null;
      client_id?: string | null;
      code?: string | null;
      redirect_uri?: string | null;
      code_verifier?: string | null;
      refresh_token?: string | null;
      resource?: string | null;
    } }; output: OAuthTokens; errors: 'auth.view_only' | 'oauth.invalid_client' | 'oauth.invalid_grant' | 'oauth.invalid_request' | 'oauth.invalid_target' | 'oauth.unsupported_grant_type' | 'request.conflict' | 'request.too_large' };
  /** A program ends what it was allowed (RFC 7009) */
  revokeOAuthToken: { input: { body: {
      token: string;
      token_type_hint?: string | null;
      client_id?: string | null;
    } }; output: Empty; errors: 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** The programs that may act for you */
  listOAuthGrants: { input: { query?: { page?: number; size?: number } }; output: OAuthGrantPage; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.required' };
  /** Disconnect a program, at once */
  deleteOAuthGrant: { input: { params: { oauth_grant_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'oauth_grant.not_found' | 'request.conflict' | 'request.too_large' };
  /** The public keys that you come in by ssh with */
  listSshKeys: { input: { query?: { page?: number; size?: number } }; output: SshKeyPage; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.required' };
  /** Add a public key: it opens the shell and the files, by ssh and sftp, of every site where you have the right to */
  createSshKey: { input: { body: {
      name?: string | null;
      public_key: string;
    } }; output: SshKey; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'ssh_key.exists' | 'ssh_key.too_many' };
  /** Remove a public key; connections that came in with it end at once */
  deleteSshKey: { input: { params: { ssh_key_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'ssh_key.not_found' };
  /** Make an account, with a team on the plan free */
  register: { input: { body: {
      email: string;
      password: string;
      first_name: string;
      last_name: string;
    } }; output: User; errors: 'account.exists' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'request.conflict' | 'request.too_large' };
  /** Confirm the email address with the mailed token, or, signed in and without one, have the mail sent again */
  verifyEmail: { input: { body?: {
      token?: string | null;
    } }; output: LinkAnswer; errors: 'account.link_invalid' | 'account.too_many_mails' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.session_ended' | 'request.conflict' | 'request.too_large' };
  /** Have a link mailed to set a new password, or set it with the mailed token */
  resetPassword: { input: { body?: {
      email?: string | null;
      token?: string | null;
      password?: string | null;
      keep_contents?: boolean | null;
    } }; output: LinkAnswer; errors: 'account.link_invalid' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.session_ended' | 'request.conflict' | 'request.too_large' };
  /** Who is signed in */
  getMe: { input: Record<never, never>; output: Me; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Change your name, your default region or your password; a new password ends every other session */
  updateMe: { input: { body?: {
      first_name?: string | null;
      last_name?: string | null;
      current_password?: string | null;
      new_password?: string | null;
      default_region?: string | null;
    } }; output: Me; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** The address that you come from, as a firewall of a site would see it */
  getMyAddress: { input: Record<never, never>; output: MyAddress; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Everybody who has an account, or those whose name or address holds a text */
  listAllUsers: { input: { query?: { search?: string; is_superuser?: boolean; page?: number; size?: number } }; output: UserPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Anybody who has an account */
  getAnyUser: { input: { params: { user_id: string } }; output: User; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'user.not_found' };
  /** Block a person, which ends every session and token of theirs, or let them in again */
  blockUser: { input: { params: { user_id: string }; body: {
      is_active: boolean;
    } }; output: User; errors: 'account.own' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'user.not_found' };
  /** Change your email address; a link that goes to the new one confirms it */
  changeEmail: { input: { body: {
      email: string;
      current_password: string;
    } }; output: Me; errors: 'account.exists' | 'account.too_many_mails' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Use the new address from now on, with the token that was mailed to it */
  confirmEmail: { input: { body: {
      token: string;
    } }; output: Me; errors: 'account.exists' | 'account.link_invalid' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Take a change of the address back, with the token that was mailed to the address before */
  takeEmailBack: { input: { body: {
      token: string;
    } }; output: Empty; errors: 'account.link_invalid' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'request.conflict' | 'request.too_large' };
  /** Make another member the owner of a team; you stay as an admin, and both of you get a mail */
  transferTeam: { input: { params: { team_id: string }; body: {
      user_id: string;
      password: string;
    } }; output: Team; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'member.not_found' | 'request.conflict' | 'request.too_large' | 'team.new_owner_blocked' | 'team.new_owner_has_free' | 'team.new_owner_unconfirmed' | 'team.not_found' };
  /** Delete a team with its sites and all that is in it; an operator can bring sites back for seven days */
  deleteTeam: { input: { params: { team_id: string }; body: {
      password: string;
    } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** Delete your account, with the teams that you own and their sites */
  deleteAccount: { input: { body: {
      password: string;
    } }; output: Empty; errors: 'account.own' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** See the platform as a person does, for half an hour and without changing anything; sets a cookie, and the person reads of it in their activity */
  viewAsUser: { input: { params: { user_id: string }; body: {
      reason: string;
    } }; output: AccountView; errors: 'account_view.operator' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.session_required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'user.not_found' };
  /** Which operators viewed a person's account, when and why, newest first */
  listAccountViews: { input: { params: { user_id: string }; query?: { page?: number; size?: number } }; output: AccountViewPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'user.not_found' };
  /** End the view of somebody's account that this browser has, if it has one */
  endView: { input: Record<never, never>; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** What signing in asks you for besides the password */
  getSecondFactor: { input: Record<never, never>; output: SecondFactor; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.session_required' | 'auth.view_only' };
  /** Get the secret for an authenticator app; a code of it confirms that it is set up */
  beginTotp: { input: { body: {
      current_password: string;
    } }; output: NewTotp; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'totp.exists' };
  /** Set the authenticator app up with a code of it; the first factor comes with recovery codes */
  confirmTotp: { input: { body: {
      code: string;
    } }; output: RecoveryCodes; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'totp.missing' | 'totp.wrong_code' };
  /** Use no authenticator app any more */
  removeTotp: { input: { body: {
      current_password: string;
    } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'totp.missing' };
  /** Begin to add a passkey */
  beginPasskey: { input: { body: {
      current_password: string;
    } }; output: PasskeyOptions; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'passkey.too_many' | 'request.conflict' | 'request.too_large' };
  /** Add the passkey that the browser made; the first factor comes with recovery codes */
  createPasskey: { input: { body: {
      challenge: string;
      name: string;
      credential_id: string;
      client_data: string;
      attestation: string;
      transports?: Array<string> | null;
    } }; output: CreatedPasskey; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.step_over' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'passkey.invalid' | 'passkey.too_many' | 'request.conflict' | 'request.too_large' };
  /** Let a passkey open your account no more */
  removePasskey: { input: { params: { passkey_id: string }; body: {
      current_password: string;
    } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'passkey.not_found' | 'request.conflict' | 'request.too_large' };
  /** Make ten new recovery codes; those before open nothing any more */
  createRecoveryCodes: { input: { body: {
      current_password: string;
    } }; output: RecoveryCodes; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.session_required' | 'auth.too_many_failures' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'second_factor.off' };
  /** Help somebody who lost their second factor and every recovery code: it is removed, every session ends, and they are told by mail */
  resetSecondFactor: { input: { params: { user_id: string } }; output: User; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'second_factor.off' | 'user.not_found' };
  /** Which mails you get */
  getNotifications: { input: Record<never, never>; output: Notifications; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Choose which mails you get; what your account or a site could be lost by is always sent */
  updateNotifications: { input: { body?: {
      backups?: boolean | null;
      billing?: boolean | null;
      sites?: boolean | null;
      tickets?: boolean | null;
      updates?: boolean | null;
      usage?: boolean | null;
      webhooks?: boolean | null;
    } }; output: Notifications; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Get no more mails of a kind, with the link in one of them (RFC 8058) */
  unsubscribe: { input: { query: { kind: 'backups' | 'billing' | 'sites' | 'tickets' | 'updates' | 'usage' | 'webhooks'; token: string }; body?: Record<string, never> }; output: Empty; errors: 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'notification.link_invalid' | 'request.conflict' | 'request.too_large' };
  /** Where a mail program that knows no one-click opens the same link: the page that asks */
  openUnsubscribe: { input: { query: { kind: 'backups' | 'billing' | 'sites' | 'tickets' | 'updates' | 'usage' | 'webhooks'; token: string } }; output: Blob; errors: never };
  /** The teams you own or belong to */
  listTeams: { input: { query?: { page?: number; size?: number } }; output: TeamPage; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** One team, with its plan and usage */
  getTeam: { input: { params: { team_id: string } }; output: Team; errors: 'auth.duplicate_cookie' | 'auth.required' | 'team.not_found' };
  /** Change the name or the time zone of a team, or what is updated by itself in its sites */
  updateTeam: { input: { params: { team_id: string }; body?: {
      name?: string | null;
      timezone?: string | null;
      update_policy?: 'off' | 'security' | 'all' | null;
      update_plugins?: Array<string> | null;
    } }; output: Team; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** What happened in a team, newest first */
  listTeamEvents: { input: { params: { team_id: string }; query?: { after_datetime?: string; page?: number; size?: number } }; output: EventPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Every team of the platform, those of a person, or those whose name holds a text */
  listAllTeams: { input: { query?: { search?: string; user_id?: string; page?: number; size?: number } }; output: TeamPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Any team */
  getAnyTeam: { input: { params: { team_id: string } }; output: Team; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'team.not_found' };
  /** Suspend a team, or lift its suspension */
  suspendTeam: { input: { params: { team_id: string }; body: {
      is_active: boolean;
    } }; output: Team; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** The people in any team */
  listAnyMembers: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TeamMemberPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'team.not_found' };
  /** The people in a team, the owner included */
  listMembers: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TeamMemberPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** One member, by the id of the membership */
  getMember: { input: { params: { team_id: string; team_member_id: string } }; output: TeamMember; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'member.not_found' | 'team.not_found' };
  /** Give a member another role, or limit them to some sites, by the id of the membership */
  updateMember: { input: { params: { team_id: string; team_member_id: string }; body?: {
      role?: 'admin' | 'member' | 'viewer' | null;
      sites?: Array<{
        site_id: string;
        role: 'admin' | 'member' | 'viewer';
      }> | null;
    } }; output: TeamMember; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'member.is_owner' | 'member.not_found' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** Remove a member, by the id of the user; everybody may remove themself */
  removeMember: { input: { params: { team_id: string; team_member_user_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'member.is_owner' | 'member.not_found' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** What a team should look at: payments, storage, sites that fail, failing backups, certificates and records of domains, updates that wait */
  getTeamAttention: { input: { params: { team_id: string } }; output: TeamAttention; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Invites of a team that nobody has accepted yet */
  listInvites: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TeamInvitePage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Invite somebody into a team by mail */
  createInvite: { input: { params: { team_id: string }; body: {
      target_email: string;
      first_name?: string | null;
      message?: string | null;
      role?: 'admin' | 'member' | 'viewer' | null;
      site_ids?: Array<string> | null;
    } }; output: TeamInvite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'invite.exists' | 'invite.too_many' | 'invite.too_many_sent' | 'member.exists' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** Change the role that an invite gives */
  updateInvite: { input: { params: { team_id: string; team_member_invite_id: string }; body: {
      role: 'admin' | 'member' | 'viewer';
    } }; output: TeamInvite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'invite.not_found' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** Withdraw an invite */
  deleteInvite: { input: { params: { team_id: string; team_member_invite_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'invite.not_found' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** One invite of a team you own */
  getInvite: { input: { params: { invite_id: string } }; output: TeamInvite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'invite.not_found' };
  /** What the link of an invite says, before signing in */
  inspectInvite: { input: { body: {
      token: string;
    } }; output: OpenedInvite; errors: 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'invite.expired' | 'invite.not_found' | 'invite.used' | 'request.conflict' | 'request.too_large' };
  /** Join the team that the invite is for */
  acceptInvite: { input: { body: {
      token: string;
    } }; output: Team; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'invite.expired' | 'invite.not_found' | 'invite.other_address' | 'invite.used' | 'member.exists' | 'request.conflict' | 'request.too_large' };
  /** Everybody in a team and, for its owner, everybody invited; by name, with search */
  listPeople: { input: { params: { team_id: string }; query?: { search?: string; page?: number; size?: number } }; output: PersonPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** The sites of your teams, or of one of them */
  listSites: { input: { query?: { team_id?: string; search?: string; label?: string; state?: 'awake' | 'asleep' | 'busy' | 'outdated' | 'insecure'; sort?: 'newest' | 'name' | 'visits' | 'storage'; page?: number; size?: number } }; output: SitePage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'team.not_found' };
  /** Create a site: a WordPress of your own under a name of your choice */
  createSite: { input: { body: {
      fqdn: string;
      team_id: string;
      region_name?: string | null;
      is_free?: boolean | null;
      template_name?: string | null;
      git_url?: string | null;
      cms_blog_name: string;
      cms_username: string;
      cms_email: string;
      cms_first_name: string;
      cms_last_name: string;
      cms_password: string;
    } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'git.empty' | 'git.failed' | 'git.host_key_changed' | 'git.needs_credentials' | 'git.no_branch' | 'git.no_repository' | 'git.not_configured' | 'git.not_set_up' | 'git.sync_failed' | 'git.timeout' | 'git.too_large' | 'git.unreachable' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'plan.sites' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.create_failed' | 'site.name_held' | 'site.name_taken' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Create a site from the archive of one elsewhere: zip, tar.gz or tar.zst with wp-content and an SQL dump. Its people stay */
  importSite: { input: { query: { fqdn: string; team_id: string; region_name?: string; is_free?: boolean }; body: Blob }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'plan.sites' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.create_failed' | 'site.import_refused' | 'site.import_running' | 'site.name_held' | 'site.name_taken' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** One site */
  getSite: { input: { params: { fqdn: string } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' };
  /** Change a site: its protection, its cache, its name, its team, its version of WordPress */
  updateSite: { input: { params: { fqdn: string }; body?: {
      new_fqdn?: string | null;
      team_id?: string | null;
      is_free?: boolean | null;
      http_auth_enabled?: boolean | null;
      debug_enabled?: boolean | null;
      cdn_dev_mode_enabled?: boolean | null;
      cdn_firewall_enabled?: boolean | null;
      cdn_firewall_allowed_ips?: Array<string> | null;
      code_server_enabled?: boolean | null;
      code_server_password?: string | null;
      git_url?: string | null;
      core_version?: string | null;
      php_version?: string | null;
    } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'git.empty' | 'git.failed' | 'git.host_key_changed' | 'git.needs_credentials' | 'git.no_branch' | 'git.no_repository' | 'git.not_configured' | 'git.not_set_up' | 'git.timeout' | 'git.too_large' | 'git.unreachable' | 'plan.sites' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.name_held' | 'site.name_taken' | 'site.not_found' | 'site.too_many_names' | 'site.update_failed' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Delete a site; its name is free at once */
  deleteSite: { input: { params: { fqdn: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' };
  /** Put a site to sleep; the next visit wakes it */
  sleepSite: { input: { params: { fqdn: string }; query?: { for_code_server?: boolean; for_stage?: boolean } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'site.sleep_failed' | 'stage.missing' };
  /** Wake a site that sleeps, before anybody visits it */
  wakeSite: { input: { params: { fqdn: string } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Forget the pages that are kept of a site; each comes from WordPress once more */
  clearSiteCache: { input: { params: { fqdn: string } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** Move a site to another kind of database, SQLite or MariaDB, and to the driver of new sites, or to another region. Backups stay */
  moveSite: { input: { params: { fqdn: string }; body?: {
      database?: 'sqlite' | 'mariadb' | null;
      region_name?: string | null;
    } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.move_failed' | 'site.move_staged' | 'site.not_found' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** What happened to a site, newest first */
  listSiteEvents: { input: { params: { fqdn: string }; query?: { after_datetime?: string; page?: number; size?: number } }; output: EventPage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' };
  /** The site with its cache and its firewall, in properties.cdn */
  getSiteCdn: { input: { params: { fqdn: string } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' };
  /** Visits, requests and bandwidth of a site over time */
  getSiteUsage: { input: { params: { fqdn: string }; query?: { from?: string; to?: string; step?: 'hour' | 'day' } }; output: SiteUsage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' };
  /** A link that opens wp-admin as the first administrator, once */
  createSiteLogin: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: SiteLogin; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Every site of the platform, those of a team, or those whose name holds a text, newest first */
  listAllSites: { input: { query?: { search?: string; team_id?: string; page?: number; size?: number } }; output: SitePage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Any site, by its id */
  getAnySite: { input: { params: { site_id: string } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'site.not_found' };
  /** The labels that the sites of a team have, and how many have each */
  listSiteLabels: { input: { params: { team_id: string } }; output: SiteLabels; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Put labels on sites of a team, and take others off */
  labelSites: { input: { params: { team_id: string }; body: {
      fqdns: Array<string>;
      add?: Array<string> | null;
      remove?: Array<string> | null;
    } }; output: LabelledSites; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' | 'site.too_many_labels' | 'team.not_found' };
  /** Your kept views of a team's sites */
  listSiteViews: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: SiteViewPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Keep a view of a team's sites under a name: what to search for, which label and state, in which order */
  saveSiteView: { input: { params: { team_id: string }; body: {
      name: string;
      search?: string | null;
      label?: string | null;
      state?: 'awake' | 'asleep' | 'busy' | 'outdated' | 'insecure' | null;
      sort?: 'newest' | 'name' | 'visits' | 'storage' | null;
      layout?: 'cards' | 'table' | null;
    } }; output: SiteView; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site_view.too_many' | 'team.not_found' };
  /** Forget a kept view */
  deleteSiteView: { input: { params: { team_id: string; site_view_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site_view.not_found' | 'team.not_found' };
  /** A link that opens the code editor of a site, once */
  createCodeServerLogin: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: CodeServerLogin; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.code_server_off' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Whether a site could have this name now. A name that no site may ever have is a 422 that says why */
  checkSiteName: { input: { query: { fqdn: string } }; output: SiteName; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** What went wrong in a site, or who visited it, newest first; kept for 7 days, or as long as the operator says */
  listSiteLog: { input: { params: { fqdn: string }; query?: { kind?: 'error' | 'access'; since?: string; until?: string; search?: string; status?: string; method?: string; path?: string; min_duration_ms?: number; size?: number; cursor?: string; stage?: boolean } }; output: SiteLogPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'site.not_found' | 'stage.missing' };
  /** The errors of a site, each once: how often it happened, where, and when it began; the last ones first */
  listSiteErrors: { input: { params: { fqdn: string }; query?: { since?: string; level?: 'fatal' | 'warning' | 'notice' | 'deprecated' | 'plain'; stage?: boolean; page?: number; size?: number } }; output: SiteErrorPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'site.not_found' | 'stage.missing' };
  /** The log of a site as it is written (Server-Sent Events); continues after Last-Event-ID */
  streamSiteLog: { input: { params: { fqdn: string }; query?: { kind?: 'error' | 'access'; search?: string; status?: string; method?: string; path?: string; min_duration_ms?: number; stage?: boolean } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'event.too_many_streams' | 'site.not_found' | 'stage.missing' };
  /** What a site looks like: its front page as a browser shows it, taken anew some hours after the site changed, or a drawing in the colours of its theme. 640 x 400 while the first one is being taken */
  getSitePicture: { input: { params: { fqdn: string }; query?: { version?: string } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.view_only' | 'site.not_found' };
  /** What is wrong with a site: its front page now, its errors, DNS, certificate, plan and last changes, and what may help; wakes it where it sleeps */
  diagnoseSite: { input: { params: { fqdn: string } }; output: Diagnosis; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'site.not_found' };
  /** A ticket for a terminal in the sandbox of a site, good for one WebSocket within half a minute */
  createTerminal: { input: { params: { fqdn: string }; body?: {
      session_id?: string | null;
      for_stage?: boolean | null;
    } }; output: TerminalTicket; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' | 'terminal.not_found' | 'terminal.too_many' };
  /** The terminals of a site that you have open */
  listTerminals: { input: { params: { fqdn: string }; query?: { for_stage?: boolean } }; output: Array<OpenTerminal>; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'site.not_found' | 'stage.missing' };
  /** End a terminal of yours, with all that runs in it */
  endTerminal: { input: { params: { fqdn: string; session_id: string }; query?: { for_stage?: boolean } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site.not_found' | 'stage.missing' | 'terminal.not_found' };
  /** The WebSocket of a terminal, for whoever has a ticket (docs/decisions/0035) */
  connectTerminal: { input: { params: { fqdn: string }; query: { ticket: string; columns?: number; rows?: number; from?: number } }; output: Blob; errors: 'auth.foreign_origin' | 'auth.view_only' | 'event.too_many_streams' | 'request.upgrade_required' | 'terminal.ticket_refused' };
  /** A page with a terminal in the sandbox of a site */
  getShellHtml: { input: { params: { fqdn: string }; query?: { for_stage?: boolean } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** Run a bash command in the site’s own sandbox, such as `wp plugin list`; at most 120 seconds */
  runSiteCommand: { input: { params: { fqdn: string }; query?: { cmd?: string; cwd?: string; auto_track_dir?: string; stage?: boolean; snapshot_first?: boolean }; body?: {
      cmd?: string | null;
      cwd?: string | null;
      auto_track_dir?: string | null;
      stage?: boolean | null;
      snapshot_first?: boolean | null;
      stdin?: string | null;
    } }; output: ShellResult; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.outcome_unknown' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'shell.backup_failed' | 'shell.too_many' | 'shell.unavailable' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** What a site runs: WordPress, PHP, plugins and themes, what is newer, and how the last change went */
  getSoftware: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: Software; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' | 'stage.missing' };
  /** Ask the site’s WordPress now what it runs and what is newer; nothing is changed */
  checkSoftware: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: Software; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'software.check_failed' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Update plugins, themes, WordPress or PHP, or all that waits where nothing is named; the pages are checked, and where one breaks it is rolled back */
  updateSoftware: { input: { params: { fqdn: string }; query?: { stage?: boolean }; body?: {
      plugins?: Array<string> | null;
      themes?: Array<string> | null;
      core_version?: string | null;
      php_version?: string | null;
    } }; output: Software; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'software.failed' | 'software.nothing' | 'software.unknown' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Install a plugin or a theme of wordpress.org by its name; checked and rolled back as an update is */
  installExtension: { input: { params: { fqdn: string }; query?: { stage?: boolean }; body: {
      kind: 'plugin' | 'theme';
      name: string;
      activate?: boolean | null;
    } }; output: Software; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'software.failed' | 'software.fixed' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Switch a plugin on or off, or a theme on; checked and rolled back as an update is */
  switchExtension: { input: { params: { fqdn: string; kind: 'plugin' | 'theme'; name: string }; query?: { stage?: boolean }; body: {
      active: boolean;
    } }; output: Software; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'software.failed' | 'software.fixed' | 'software.not_found' | 'software.unknown' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Delete a plugin or a theme with its files; checked and rolled back as an update is */
  deleteExtension: { input: { params: { fqdn: string; kind: 'plugin' | 'theme'; name: string }; query?: { stage?: boolean } }; output: Software; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'software.failed' | 'software.fixed' | 'software.not_found' | 'software.unknown' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Where sites are reached by ssh and sftp, and what the server is known by */
  getSshServer: { input: Record<never, never>; output: SshServer; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** A file of the content of a site, or what is in a folder; also as it was at a moment */
  getSiteFile: { input: { params: { fqdn: string }; query?: { path?: string; at?: string; stage?: boolean } }; output: SiteFile; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.not_found' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** Save a text file, where nobody has changed it since it was read; a 409 has what is there now as current */
  saveSiteFile: { input: { params: { fqdn: string }; query?: { stage?: boolean }; body: {
      path: string;
      content: string;
      version?: string | null;
    } }; output: ChangedSiteFile; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'file.changed' | 'file.denied' | 'file.not_a_file' | 'file.not_found' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Delete a file, or a folder with all that is in it */
  deleteSiteFile: { input: { params: { fqdn: string }; query: { path: string; stage?: boolean } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.not_a_file' | 'file.not_found' | 'file.too_much' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** The bytes of a file, or a folder as a zip file */
  downloadSiteFile: { input: { params: { fqdn: string }; query?: { path?: string; stage?: boolean } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.not_a_file' | 'file.not_found' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** Upload a file (the body is its bytes) */
  uploadSiteFile: { input: { params: { fqdn: string }; query: { path: string; replace?: boolean; stage?: boolean }; body: Blob }; output: ChangedSiteFile; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.exists' | 'file.not_a_file' | 'file.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Make a folder */
  createSiteFolder: { input: { params: { fqdn: string }; query?: { stage?: boolean }; body: {
      path: string;
    } }; output: ChangedSiteFile; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.exists' | 'file.not_a_file' | 'file.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Move or rename a file or a folder; nothing is replaced */
  moveSiteFile: { input: { params: { fqdn: string }; query?: { stage?: boolean }; body: {
      path: string;
      new_path: string;
    } }; output: ChangedSiteFile; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.exists' | 'file.not_a_file' | 'file.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Files by a part of their names, or by text that is in them */
  searchSiteFiles: { input: { params: { fqdn: string }; query?: { path?: string; name?: string; text?: string; stage?: boolean } }; output: FoundSiteFiles; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'file.denied' | 'file.not_found' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** What a file was, by the backups of the site, newest first */
  getSiteFileHistory: { input: { params: { fqdn: string }; query: { path: string; before?: string; stage?: boolean } }; output: SiteFileHistory; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'site.not_found' | 'stage.missing' };
  /** The paths of a site that lead elsewhere */
  listExternalPaths: { input: { params: { fqdn: string }; query?: { page?: number; size?: number } }; output: ExternalPathPage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' };
  /** Send a path of the site to an external URL */
  createExternalPath: { input: { params: { fqdn: string }; body: {
      path: string;
      external_name: string;
    } }; output: ExternalPath; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'external_path.exists' | 'external_path.too_many' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** One external path */
  getExternalPath: { input: { params: { fqdn: string; external_path_id: string } }; output: ExternalPath; errors: 'auth.duplicate_cookie' | 'auth.required' | 'external_path.not_found' | 'site.not_found' };
  /** Change an external path */
  updateExternalPath: { input: { params: { fqdn: string; external_path_id: string }; body: {
      path: string;
      external_name: string;
    } }; output: ExternalPath; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'external_path.exists' | 'external_path.not_found' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** Delete an external path; WordPress answers there again */
  deleteExternalPath: { input: { params: { fqdn: string; external_path_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'external_path.not_found' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** Whether a domain's DNS records lead to the platform, record by record */
  verifyDomain: { input: { query: { fqdn: string } }; output: VerifiedDomain; errors: 'auth.duplicate_cookie' | 'auth.required' | 'domain.dns_failed' | 'domain.dns_timeout' | 'domain.not_verified' };
  /** The TXT record by which a team proves that a domain is its own, and whether it is published */
  getDomainClaim: { input: { query: { fqdn: string; team_id: string } }; output: DomainClaim; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'domain.dns_failed' | 'domain.dns_timeout' | 'team.not_found' };
  /** All the names of a site, with the state of their records and certificates */
  listSiteDomains: { input: { params: { fqdn: string } }; output: SiteDomains; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' };
  /** Give the site a further name; the site goes on meanwhile */
  createSiteDomain: { input: { params: { fqdn: string }; body: {
      domain: string;
      mode?: 'redirect' | 'serve' | null;
      with_www?: boolean | null;
    } }; output: SiteDomain; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.name_held' | 'site.name_taken' | 'site.not_found' | 'site.too_many_names' };
  /** Look at the DNS records of a name now, and tell what they must say */
  verifySiteDomain: { input: { params: { fqdn: string; domain: string } }; output: CheckedSiteDomain; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'domain.dns_failed' | 'domain.dns_timeout' | 'domain.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** Whether a name leads to the primary one or shows the site itself */
  updateSiteDomain: { input: { params: { fqdn: string; domain: string }; body: {
      mode: 'redirect' | 'serve';
    } }; output: SiteDomain; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'domain.is_primary' | 'domain.not_found' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** Take a name from the site; it leads nowhere then */
  deleteSiteDomain: { input: { params: { fqdn: string; domain: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'domain.is_primary' | 'domain.not_found' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' };
  /** Make a name the site's own address; the one before leads there from then on */
  promoteSiteDomain: { input: { params: { fqdn: string; domain: string } }; output: SiteDomain; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'domain.not_found' | 'domain.not_verified' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'site.update_failed' };
  /** Serve a name with a certificate of your own */
  setSiteCertificate: { input: { params: { fqdn: string; domain: string }; body: {
      chain: string;
      key: string;
    } }; output: SiteDomain; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'domain.not_found' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** Remove your own certificate of a name; the platform gets one in its place where it can */
  deleteSiteCertificate: { input: { params: { fqdn: string; domain: string } }; output: SiteDomain; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'domain.no_own_certificate' | 'domain.not_found' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** The accounts at Git hosts that you linked */
  listGitAccounts: { input: { query?: { page?: number; size?: number } }; output: GitAccountPage; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.required' };
  /** Link an account at a Git host by a token, which is tried first, or by a key that we make */
  createGitAccount: { input: { body: {
      provider: 'github' | 'gitlab' | 'gitea' | 'ssh';
      base_url?: string | null;
      token?: string | null;
    } }; output: GitAccount; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'git_account.bad_token' | 'git_account.exists' | 'git_account.host_failed' | 'git_account.host_timeout' | 'git_account.too_many' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Remove a linked account, and with it its token or key */
  deleteGitAccount: { input: { params: { git_account_id: string } }; output: Empty; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'git_account.not_found' | 'request.conflict' | 'request.too_large' };
  /** The repositories of your linked Git accounts, and those that your sites are linked to */
  listGitSyncRepositories: { input: Record<never, never>; output: Array<GitSyncRepository>; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.required' | 'auth.view_only' };
  /** Whether a repository holds what the content of a site is made of */
  verifyGitSyncDirectories: { input: { query: { git_url: string; git_branch?: string } }; output: VerifiedRepository; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'git.empty' | 'git.failed' | 'git.host_key_changed' | 'git.needs_credentials' | 'git.no_branch' | 'git.no_repository' | 'git.not_configured' | 'git.not_set_up' | 'git.timeout' | 'git.too_large' | 'git.unreachable' };
  /** The repository that a site or its stage follows, and the address for pushes */
  getGitLink: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: GitLink; errors: 'auth.duplicate_cookie' | 'auth.required' | 'git.not_linked' | 'site.not_found' | 'stage.missing' };
  /** Bring a site or its stage to the newest commit of its branch now */
  syncGit: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: GitLink; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'git.not_linked' | 'git.sync_failed' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Give the address for pushes a new secret; what is signed with the one before is refused at once */
  renewGitHookSecret: { input: { params: { fqdn: string } }; output: GitLink; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'git.not_linked' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' };
  /** For Git hosts alone, who sign with the secret of the site what they tell of a push */
  receiveGitPush: { input: { params: { site_id: string }; body: Blob }; output: Empty; errors: 'auth.view_only' | 'git.no_hook' | 'request.conflict' | 'request.too_large' };
  /** What a site or its stage has changed of plugins, themes and languages since the last sync */
  getGitChanges: { input: { params: { fqdn: string }; query?: { stage?: boolean } }; output: GitChanges; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'git.changes_unread' | 'git.not_linked' | 'git.not_synced' | 'git.too_many_files' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** Commit what was changed on a site or its stage to a branch of its repository, with the linked account */
  commitGitChanges: { input: { params: { fqdn: string }; query?: { stage?: boolean }; body: {
      branch: string;
      message: string;
      paths?: Array<string> | null;
    } }; output: GitCommit; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'git.branch_moved' | 'git.commit_failed' | 'git.no_account' | 'git.not_committable' | 'git.not_linked' | 'git.not_synced' | 'git.nothing_to_commit' | 'git.push_refused' | 'git.too_many_files' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** The backup closest to a point, at or before it; with number_to_fetch a list of them, closest first */
  getBackups: { input: { params: { fqdn: string }; query?: { number_to_fetch?: number; restore_point?: string; stage?: boolean } }; output: BackupOrBackups; errors: 'auth.duplicate_cookie' | 'auth.required' | 'backup.not_found' | 'site.not_found' | 'stage.missing' };
  /** The files below wp-content at a point in time */
  listPitFiles: { input: { params: { fqdn: string }; query?: { restore_point?: string; prefix?: string; after?: string; limit?: number; stage?: boolean } }; output: PitFiles; errors: 'auth.duplicate_cookie' | 'auth.required' | 'backup.not_found' | 'site.not_found' | 'stage.missing' };
  /** A backup as one archive (tar.gz) that any WordPress can be made of: wp-content, and the database as SQL */
  downloadBackup: { input: { params: { fqdn: string }; query?: { restore_point?: string; stage?: boolean } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'backup.downloading' | 'backup.not_found' | 'site.not_found' | 'stage.missing' };
  /** Links to single files of a backup, which open for an hour without signing in */
  createBlobUrls: { input: { params: { fqdn: string }; query?: { at_date?: string; stage?: boolean }; body: {
      keys: Array<string>;
      version_ids?: Array<string | null> | null;
    } }; output: BlobUrls; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'backup.not_found' | 'blob.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' | 'stage.missing' };
  /** What a link of createBlobUrls opens; takes ranges */
  getBlob: { input: { query: { token: string } }; output: Blob; errors: 'auth.view_only' | 'blob.expired' | 'blob.not_found' };
  /** List the restores of a site and of its staging site, newest first */
  listPitRestores: { input: { params: { fqdn: string }; query?: { stage?: boolean; page?: number; size?: number } }; output: PitRestorePage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'site.not_found' | 'stage.missing' };
  /** Bring files and database back to a point in time, or try it on a copy */
  createPitRestore: { input: { params: { fqdn: string }; body: {
      restore_point: string;
      delete_extra_files?: boolean | null;
      restore_db?: boolean | null;
      restore_cms_content?: boolean | null;
      db_restore_hash?: string | null;
      for_stage_site?: boolean | null;
      is_dry_run?: boolean | null;
    } }; output: PitRestore; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'pit_restore.dry_run_running' | 'pit_restore.failed' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.not_found' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** What a restore would change, at once; nothing is stored and nothing is changed */
  previewPitRestore: { input: { params: { fqdn: string }; query?: { browse?: boolean; now_hash?: string; page?: number; size?: number }; body: {
      restore_point: string;
      delete_extra_files?: boolean | null;
      restore_db?: boolean | null;
      restore_cms_content?: boolean | null;
      db_restore_hash?: string | null;
      for_stage_site?: boolean | null;
      is_dry_run?: boolean | null;
    } }; output: PitPreview; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'pit_restore.preview_failed' | 'preview.too_many' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.not_found' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** One restore: its record, with every change by the page (`changes`), or as a report in plain text (`text`) */
  getPitRestore: { input: { params: { fqdn: string; pit_restore_id: string }; query?: { format?: 'json' | 'changes' | 'text'; page?: number; size?: number } }; output: PitRestoreDetail | Blob; errors: 'auth.duplicate_cookie' | 'auth.required' | 'pit_restore.not_found' | 'site.not_found' };
  /** The way into a preview that you asked for */
  getPreview: { input: { params: { preview_id: string } }; output: Preview; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.view_only' | 'preview.not_found' };
  /** Find the minute in which a page broke: copies of kept minutes are asked for it, half of the time at each look */
  createBreakSearch: { input: { params: { fqdn: string }; body: {
      path: string;
      text?: string | null;
      text_is?: 'present' | 'absent' | null;
      from?: string | null;
      until?: string | null;
    } }; output: BreakSearch; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'break_search.nothing' | 'break_search.running' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** How far a search is, and the minute that it found */
  getBreakSearch: { input: { params: { fqdn: string; break_search_id: string } }; output: BreakSearch; errors: 'auth.duplicate_cookie' | 'auth.required' | 'break_search.not_found' | 'site.not_found' };
  /** Make a staging site: a copy of the site as it is, or as it was at a point, to work on */
  createStage: { input: { params: { fqdn: string }; body: {
      subdomain: string;
      restore_point?: string | null;
      git_staging_branch?: string | null;
    } }; output: StageSite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'git.empty' | 'git.failed' | 'git.host_key_changed' | 'git.needs_credentials' | 'git.no_branch' | 'git.no_repository' | 'git.not_configured' | 'git.not_linked' | 'git.not_set_up' | 'git.sync_failed' | 'git.timeout' | 'git.too_large' | 'git.unreachable' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.name_taken' | 'site.not_found' | 'stage.exists' | 'stage.failed' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Delete the staging site for good; the live site stays as it is */
  deleteStage: { input: { params: { fqdn: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** Change the protection, the cache and the debug mode of the staging site; the live site keeps its own */
  updateStage: { input: { params: { fqdn: string }; body?: {
      http_auth_enabled?: boolean | null;
      debug_enabled?: boolean | null;
      cdn_dev_mode_enabled?: boolean | null;
      cdn_firewall_enabled?: boolean | null;
      cdn_firewall_allowed_ips?: Array<string> | null;
    } }; output: StageSite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' };
  /** What the staging site has changed, what live has got since, and what both have changed; nothing is done */
  compareStage: { input: { params: { fqdn: string }; query?: { page?: number; size?: number } }; output: StageChanges; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'site.busy' | 'site.not_found' | 'stage.compare_failed' | 'stage.missing' | 'stage.no_base' };
  /** Take content and database of the staging site to the live site, and keep what only live has got since */
  commitStage: { input: { params: { fqdn: string }; body?: {
      plan?: string | null;
      mode?: 'merge' | 'replace' | null;
      on_conflict?: 'stage' | 'live' | 'refuse' | null;
      keep_tables?: Array<string> | null;
      take_tables?: Array<string> | null;
      keep_files?: Array<string> | null;
    } }; output: StageSite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.commit_failed' | 'stage.compare_failed' | 'stage.conflict' | 'stage.missing' | 'stage.moved_on' | 'stage.no_base' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** Make the staging site anew from the live site as it is now; what was in it is in its backups */
  refreshStage: { input: { params: { fqdn: string } }; output: StageSite; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'git.sync_failed' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'plan.storage' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'stage.missing' | 'stage.refresh_failed' | 'team.expired' | 'team.not_found' | 'team.suspended' };
  /** What the staging site wanted to mail, newest first; nobody else got it */
  listStageMail: { input: { params: { fqdn: string }; query?: { page?: number; size?: number } }; output: HeldMailPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'auth.view_only' | 'site.not_found' | 'stage.missing' };
  /** The templates that you can make sites from, newest first */
  listTemplates: { input: { query?: { page?: number; size?: number } }; output: TemplatePage; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Make a template from a Git repository with a site archive, or from a site of yours */
  createTemplate: { input: { query?: { create_static_site?: boolean }; body: {
      description: string;
      is_public: boolean;
      tag: 'business' | 'blog' | 'portfolio' | 'other';
      url: string;
      team_id?: string | null;
      fqdn?: string | null;
      theme?: string | null;
    } }; output: Template; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.expired' | 'team.not_found' | 'team.suspended' | 'template.failed' | 'template.refused' | 'template.storage' | 'template.too_many' | 'template.unreachable' };
  /** One template */
  getTemplate: { input: { params: { template_name: string } }; output: Template; errors: 'template.not_found' };
  /** Change what is said of a template; with update_git, fetch it again, which an operator then has to approve */
  updateTemplate: { input: { params: { template_name: string }; query?: { update_git?: boolean }; body?: {
      description?: string | null;
      is_public?: boolean | null;
      tag?: 'business' | 'blog' | 'portfolio' | 'other' | null;
      url?: string | null;
    } }; output: Template; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'team.expired' | 'team.not_found' | 'team.suspended' | 'template.busy' | 'template.failed' | 'template.not_found' | 'template.refused' | 'template.storage' | 'template.unreachable' };
  /** Delete a template; sites that were made from it stay */
  deleteTemplate: { input: { params: { template_name: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'template.not_found' };
  /** What sites made from a template look like */
  getTemplatePicture: { input: { params: { template_name: string }; query?: { version?: string } }; output: Blob; errors: 'template.no_picture' | 'template.not_found' };
  /** Every template of the platform */
  listAllTemplates: { input: { query?: { approved?: boolean; page?: number; size?: number } }; output: TemplatePage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Approve a template, so that a public one is for everybody, or take that back */
  approveTemplate: { input: { params: { template_name: string }; body: {
      approved: boolean;
    } }; output: Template; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'template.busy' | 'template.not_found' };
  /** Deleted sites that can still be brought back */
  listDeletedSites: { input: { query?: { page?: number; size?: number } }; output: DeletedSitePage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Bring a deleted site back under its name */
  restoreDeletedSite: { input: { params: { site_id: string } }; output: Site; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'deleted_site.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.name_taken' | 'site.restore_failed' };
  /** What happened in your teams and your account, newest first */
  listEvents: { input: { query?: { fqdn?: string; page?: number; size?: number } }; output: EventPage; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Events as they happen and as they progress (Server-Sent Events); continues after Last-Event-ID */
  streamEvents: { input: { query?: { after?: string } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.view_only' | 'event.too_many_streams' };
  /** One event: how far an operation is, or how it ended */
  getEvent: { input: { params: { event_id: string } }; output: Event; errors: 'auth.duplicate_cookie' | 'auth.required' | 'event.not_found' };
  /** Mark an event and everything before it as read */
  readEvents: { input: { body: {
      event_id: string;
    } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'event.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** The tickets of a team */
  listTeamTickets: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TicketPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Your newest ticket; with page or size, a page of your tickets, those first in which something happened last */
  listTickets: { input: { query?: { page?: number; size?: number; resolved?: boolean } }; output: OwnTickets; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Open a ticket */
  createTicket: { input: { body: {
      team_id: string;
      subject: string;
      description: string;
      category?: string | null;
      resolved?: boolean | null;
      s3_object?: string | null;
      site_live_id?: string | null;
    } }; output: Ticket; errors: 'attachment.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'site.not_found' | 'team.not_found' | 'ticket.too_many' };
  /** One ticket with its replies */
  getTicket: { input: { params: { ticket_id: string } }; output: Ticket; errors: 'auth.duplicate_cookie' | 'auth.required' | 'ticket.not_found' };
  /** Give the assistant instructions for this ticket */
  updateTicket: { input: { params: { ticket_id: string }; body?: {
      assistant_custom_instructions?: string | null;
    } }; output: Ticket; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'ticket.not_found' };
  /** Delete a ticket with its replies */
  deleteTicket: { input: { params: { ticket_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'ticket.not_found' };
  /** The replies to a ticket, newest first */
  listReplies: { input: { params: { ticket_id: string }; query?: { page?: number; size?: number } }; output: TicketReplyPage; errors: 'auth.duplicate_cookie' | 'auth.required' | 'ticket.not_found' };
  /** Reply to a ticket, resolve or reopen it */
  createReply: { input: { params: { ticket_id: string }; body?: {
      description?: string | null;
      is_assistant_chat_message?: boolean | null;
      s3_object?: string | null;
      resolve?: boolean | null;
    } }; output: TicketReply; errors: 'attachment.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'ticket.assistant_spent' | 'ticket.no_messages_left' | 'ticket.not_found' | 'ticket.too_many' };
  /** What stands around a ticket: its site with versions, the last errors and what changed last */
  getTicketContext: { input: { params: { ticket_id: string } }; output: TicketContext; errors: 'auth.duplicate_cookie' | 'auth.required' | 'ticket.not_found' };
  /** What the assistant is writing in a ticket, as it is written (Server-Sent Events) */
  streamAnswers: { input: { params: { ticket_id: string } }; output: Blob; errors: 'auth.duplicate_cookie' | 'auth.required' | 'auth.view_only' | 'event.too_many_streams' | 'ticket.not_found' };
  /** Every ticket of the platform, those first in which something happened last */
  listAllTickets: { input: { query?: { resolved?: boolean; waits_for?: 'support' | 'asker'; assigned?: 'me' | 'nobody'; team_id?: string; page?: number; size?: number } }; output: TicketPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Any ticket with its replies */
  getAnyTicket: { input: { params: { ticket_id: string } }; output: Ticket; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'ticket.not_found' };
  /** What stands around any ticket: its site with versions, the last errors and what changed last */
  getAnyTicketContext: { input: { params: { ticket_id: string } }; output: TicketContext; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'ticket.not_found' };
  /** Give a ticket to an operator */
  assignTicket: { input: { params: { ticket_id: string }; body: {
      user_id: string;
    } }; output: Ticket; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'ticket.not_found' | 'ticket.not_operator' };
  /** Nobody has the ticket any more */
  unassignTicket: { input: { params: { ticket_id: string } }; output: Ticket; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'ticket.not_found' };
  /** The replies to any ticket, newest first */
  listAnyReplies: { input: { params: { ticket_id: string }; query?: { page?: number; size?: number } }; output: TicketReplyPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'ticket.not_found' };
  /** Answer any ticket as the platform; its author is mailed */
  answerTicket: { input: { params: { ticket_id: string }; body?: {
      description?: string | null;
      is_assistant_chat_message?: boolean | null;
      s3_object?: string | null;
      resolve?: boolean | null;
    } }; output: TicketReply; errors: 'attachment.not_found' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'ticket.not_found' };
  /** Upload a file (the body is its bytes) that a ticket then names as s3_object */
  uploadAttachment: { input: { query: { name: string }; body: Blob }; output: Attachment; errors: 'attachment.full' | 'attachment.too_many' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Download an attachment */
  getAttachment: { input: { params: { s3_object: string } }; output: Blob; errors: 'attachment.not_found' | 'auth.duplicate_cookie' | 'auth.required' };
  /** The calls that were proposed to you, newest first */
  listProposals: { input: { query?: { page?: number; size?: number } }; output: ProposalSummaryPage; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Propose a call to yourself: see what it would do, and confirm it within an hour */
  createProposal: { input: { body: {
      operation: string;
      input?: Record<string, unknown> | null;
    } }; output: Proposal; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'proposal.not_possible' | 'request.conflict' | 'request.too_large' };
  /** One proposal, with how its call ended */
  getProposal: { input: { params: { proposal_id: string } }; output: Proposal; errors: 'auth.duplicate_cookie' | 'auth.required' | 'proposal.not_found' };
  /** Let the proposed call be made, in your name and with the rights that you have now */
  confirmProposal: { input: { params: { proposal_id: string } }; output: Proposal; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'proposal.not_found' | 'proposal.not_open' | 'request.conflict' | 'request.too_large' };
  /** Let the proposed call not be made */
  refuseProposal: { input: { params: { proposal_id: string } }; output: Proposal; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'proposal.not_found' | 'proposal.not_open' | 'request.conflict' | 'request.too_large' };
  /** The addresses that are told of what happens in a team */
  listWebhooks: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: WebhookPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Have an address told of what happens; the answer shows the secret that calls are signed with, this once */
  createWebhook: { input: { params: { team_id: string }; body: {
      url: string;
      description?: string | null;
      event_types?: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.damaged' | 'backup.delayed' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'domain.added' | 'domain.certificate_failing' | 'domain.removed' | 'domain.updated' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.committed' | 'git.hook_renewed' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'member.updated' | 'proposal.confirmed' | 'restore.dry_run' | 'restore.point_named' | 'restore.point_removed' | 'restore.preview' | 'restore.searched' | 'restore.started' | 'site.cache_cleared' | 'site.created' | 'site.deleted' | 'site.failing' | 'site.labelled' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'software.changed' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'stage.refreshed' | 'team.transferred' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'domain.*' | 'external_path.*' | 'git.*' | 'member.*' | 'proposal.*' | 'restore.*' | 'site.*' | 'software.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'> | null;
    } }; output: WebhookWithSecret; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'webhook.too_many' };
  /** One webhook */
  getWebhook: { input: { params: { team_id: string; webhook_id: string } }; output: Webhook; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' | 'webhook.not_found' };
  /** Change a webhook, or switch it on or off; what waited goes out when it is switched on */
  updateWebhook: { input: { params: { team_id: string; webhook_id: string }; body?: {
      url?: string | null;
      description?: string | null;
      event_types?: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.damaged' | 'backup.delayed' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'domain.added' | 'domain.certificate_failing' | 'domain.removed' | 'domain.updated' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.committed' | 'git.hook_renewed' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'member.updated' | 'proposal.confirmed' | 'restore.dry_run' | 'restore.point_named' | 'restore.point_removed' | 'restore.preview' | 'restore.searched' | 'restore.started' | 'site.cache_cleared' | 'site.created' | 'site.deleted' | 'site.failing' | 'site.labelled' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'software.changed' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'stage.refreshed' | 'team.transferred' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'domain.*' | 'external_path.*' | 'git.*' | 'member.*' | 'proposal.*' | 'restore.*' | 'site.*' | 'software.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'> | null;
      is_active?: boolean | null;
    } }; output: Webhook; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'webhook.not_found' };
  /** Delete a webhook, with what waited for it */
  deleteWebhook: { input: { params: { team_id: string; webhook_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'webhook.not_found' };
  /** A new secret, shown this once; for 24 hours calls are signed with the old one too */
  rotateWebhookSecret: { input: { params: { team_id: string; webhook_id: string }; body?: {
      revoke_previous?: boolean | null;
    } }; output: WebhookWithSecret; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'webhook.not_found' | 'webhook.too_many_secrets' };
  /** Call the address now with an event webhook.test, and see its answer */
  testWebhook: { input: { params: { team_id: string; webhook_id: string } }; output: WebhookDeliveryDetail; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'team.suspended' | 'webhook.not_found' };
  /** Send again what failed since a moment, or what was delivered since then */
  replayWebhook: { input: { params: { team_id: string; webhook_id: string }; body: {
      since: string;
      state?: 'failed' | 'delivered' | null;
    } }; output: ReplayedDeliveries; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'webhook.not_found' | 'webhook.off' };
  /** What was sent to a webhook within 30 days, and what waits to be */
  listWebhookDeliveries: { input: { params: { team_id: string; webhook_id: string }; query?: { state?: 'waiting' | 'delivered' | 'failed'; page?: number; size?: number } }; output: WebhookDeliveryPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' | 'webhook.not_found' };
  /** One delivery, with what was sent and what came back last */
  getWebhookDelivery: { input: { params: { team_id: string; webhook_id: string; delivery_id: string } }; output: WebhookDeliveryDetail; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' | 'webhook.not_found' | 'webhook_delivery.not_found' };
  /** Send a delivery again, under the same webhook-id */
  replayWebhookDelivery: { input: { params: { team_id: string; webhook_id: string; delivery_id: string } }; output: WebhookDeliveryDetail; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' | 'webhook.not_found' | 'webhook.off' | 'webhook_delivery.not_found' };
  /** The hosts elsewhere that a team has a password for; the passwords are not shown */
  listApplicationPasswords: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: ApplicationPasswordPage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** Store a password for a site that is hosted elsewhere, or for a storefront */
  createApplicationPassword: { input: { body: {
      fqdn: string;
      username: string;
      password: string;
      team_id: string;
    } }; output: ApplicationPasswordName; errors: 'application_password.exists' | 'application_password.hosted_here' | 'application_password.too_many' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** Change the password for a host; team_id says which where several of your teams have one */
  updateApplicationPassword: { input: { params: { fqdn: string }; query?: { team_id?: string }; body?: {
      fqdn?: string | null;
      username?: string | null;
      password?: string | null;
    } }; output: ApplicationPasswordName; errors: 'application_password.ambiguous' | 'application_password.exists' | 'application_password.hosted_here' | 'application_password.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Delete the password for a host and show it a last time */
  deleteApplicationPassword: { input: { params: { fqdn: string }; query?: { team_id?: string } }; output: DeletedApplicationPassword; errors: 'application_password.ambiguous' | 'application_password.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'request.conflict' | 'request.too_large' };
  /** Pass a request on to a site's JSON API: one of yours here, or one elsewhere with a stored password */
  cmsProxy: { input: { body: {
      method?: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options' | 'head' | null;
      query_params_json?: string | null;
      body_json?: string | null;
      fqdn: string;
      path?: string | null;
      team_id?: string | null;
    } }; output: ProxyAnswer; errors: 'application_password.ambiguous' | 'application_password.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.outcome_unknown' | 'idempotency.rights_lost' | 'proxy.answer_too_large' | 'proxy.not_public' | 'proxy.redirects' | 'proxy.site_failed' | 'proxy.timeout' | 'proxy.unreachable' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'team.expired' | 'team.suspended' };
  /** Pass a request on to the admin API of a storefront, with the stored access token of that shop */
  storefrontProxy: { input: { body: {
      method?: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options' | 'head' | null;
      query_params_json?: string | null;
      body_json?: string | null;
      shop_name: string;
      path?: string | null;
      team_id?: string | null;
    } }; output: ProxyAnswer; errors: 'application_password.ambiguous' | 'application_password.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.outcome_unknown' | 'idempotency.rights_lost' | 'proxy.answer_too_large' | 'proxy.not_public' | 'proxy.redirects' | 'proxy.timeout' | 'proxy.unreachable' | 'request.conflict' | 'request.too_large' };
  /** Pass a request on to the analytics API (Plausible) about sites of yours, which it names as site_id */
  analyticsProxy: { input: { body: {
      method?: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options' | 'head' | null;
      query_params_json?: string | null;
      body_json?: string | null;
      path: string;
    } }; output: ProxyAnswer; errors: 'analytics.not_configured' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.outcome_unknown' | 'idempotency.rights_lost' | 'proxy.answer_too_large' | 'proxy.not_public' | 'proxy.redirects' | 'proxy.timeout' | 'proxy.unreachable' | 'request.conflict' | 'request.too_large' | 'site.not_found' | 'team.not_found' };
  /** Pass an XML-RPC call on to a site; elsewhere {{username}} and {{password}} stand for what is stored */
  callXmlRpc: { input: { params: { fqdn: string }; query?: { team_id?: string }; body: Blob }; output: Blob; errors: 'application_password.ambiguous' | 'application_password.not_found' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.unverified' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.outcome_unknown' | 'idempotency.rights_lost' | 'proxy.answer_too_large' | 'proxy.no_xml' | 'proxy.not_public' | 'proxy.redirects' | 'proxy.site_failed' | 'proxy.timeout' | 'proxy.unreachable' | 'request.conflict' | 'request.too_large' | 'site.busy' | 'site.not_found' | 'team.expired' | 'team.suspended' };
  /** The plans, with what they have and what they cost */
  listPlans: { input: Record<never, never>; output: Array<Plan>; errors: never };
  /** Buy a team, or upgrade one that is free: answers where to pay */
  createCheckoutSession: { input: { body?: {
      for_team_id?: string | null;
      new_team_name?: string | null;
      plan_name?: 'free' | 'micro' | 'starter' | 'business' | null;
      interval?: 'month' | 'year' | null;
    } }; output: SessionUrl; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'billing.already_paid' | 'billing.being_paid' | 'billing.free_team_taken' | 'billing.not_configured' | 'billing.provider_failed' | 'billing.provider_timeout' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** Ask the provider whether a checkout was paid, for whoever comes back from it */
  syncCheckout: { input: { params: { checkout_id: string } }; output: Checkout; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'billing.not_configured' | 'billing.provider_failed' | 'billing.provider_timeout' | 'checkout.not_found' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Where you change or cancel what you pay for, and find your invoices */
  createPortalSession: { input: Record<never, never>; output: SessionUrl; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'billing.customer_deleted' | 'billing.not_configured' | 'billing.provider_failed' | 'billing.provider_timeout' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** Ask the provider what you pay for, for whoever comes back from the portal */
  syncBilling: { input: Record<never, never>; output: SyncedBilling; errors: 'auth.bound_to_team' | 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'billing.not_configured' | 'billing.provider_failed' | 'billing.provider_timeout' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' };
  /** What a team pays for, until when, and how much of it is used */
  getTeamBilling: { input: { params: { team_id: string } }; output: TeamBilling; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** The card that pays for a team, and its invoices, as the payment provider has them */
  getTeamBills: { input: { params: { team_id: string } }; output: TeamBills; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'billing.not_configured' | 'billing.provider_failed' | 'billing.provider_timeout' | 'team.not_found' };
  /** Pay for more sites than the plan has, or for fewer again */
  setAdditionalSites: { input: { params: { team_id: string }; body: {
      additional_sites: number;
    } }; output: TeamBilling; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'billing.being_changed' | 'billing.not_configured' | 'billing.not_paid' | 'billing.provider_failed' | 'billing.provider_timeout' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** For the payment provider alone, who signs what it sends */
  receivePaymentEvent: { input: { body: Blob }; output: Empty; errors: 'auth.view_only' | 'billing.not_configured' | 'request.conflict' | 'request.too_large' };
  /** Grant a team a plan without payment, or revoke it with the plan free */
  setTeamPlan: { input: { params: { team_id: string }; body: {
      plan_name: 'free' | 'micro' | 'starter' | 'business';
    } }; output: Team; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'billing.plan_is_paid' | 'request.conflict' | 'request.too_large' | 'team.not_found' };
  /** A checkout of the built-in provider, which takes no money */
  getTestCheckout: { input: { params: { session_id: string } }; output: TestCheckout; errors: 'auth.duplicate_cookie' | 'auth.required' | 'test_checkout.not_found' };
  /** Pay a test checkout, or have the card declined; no money moves */
  endTestCheckout: { input: { params: { session_id: string }; body: {
      outcome: 'paid' | 'declined';
    } }; output: TestCheckout; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'test_checkout.not_found' };
  /** A billing portal of the built-in provider */
  getTestPortal: { input: { params: { session_id: string } }; output: TestPortal; errors: 'auth.duplicate_cookie' | 'auth.required' | 'test_portal.not_found' };
  /** Change, cancel, pay or fail to pay a test subscription; no money moves */
  actInTestPortal: { input: { params: { session_id: string }; body: {
      action: 'change_plan' | 'cancel' | 'resume' | 'end_now' | 'fail_payment' | 'pay';
      subscription: string;
      plan_name?: 'micro' | 'starter' | 'business' | null;
      interval?: 'month' | 'year' | null;
    } }; output: TestPortal; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'request.conflict' | 'request.too_large' | 'test_portal.not_found' | 'test_portal.not_possible' };
  /** Visits and bytes of a team by hour or by day */
  getTeamUsage: { input: { params: { team_id: string }; query?: { from?: string; to?: string; step?: 'hour' | 'day' } }; output: TeamUsage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** What each site of a team uses in this billing cycle, the most first */
  listSiteUse: { input: { params: { team_id: string }; query?: { order_by?: 'visits' | 'bandwidth' | 'storage' | 'name'; page?: number; size?: number } }; output: SiteUsePage; errors: 'auth.duplicate_cookie' | 'auth.forbidden' | 'auth.required' | 'team.not_found' };
  /** The places where sites can be hosted */
  listRegions: { input: Record<never, never>; output: Array<Region>; errors: never };
  /** One region */
  getRegion: { input: { params: { region_id: number } }; output: Region; errors: 'region.not_found' };
  /** List regions with the clusters that their sites are created on */
  listAllRegions: { input: Record<never, never>; output: Array<OperatorRegion>; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Add a region */
  createRegion: { input: { body: {
      name: string;
      city: string;
      country: string;
      country_code: string;
      cname: string;
      ip: string;
      name_servers?: Array<string> | null;
      cluster?: string | null;
    } }; output: OperatorRegion; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'region.exists' | 'request.conflict' | 'request.too_large' };
  /** Change a region */
  updateRegion: { input: { params: { region_id: number }; body?: {
      name?: string | null;
      city?: string | null;
      country?: string | null;
      country_code?: string | null;
      cname?: string | null;
      ip?: string | null;
      name_servers?: Array<string> | null;
      cluster?: string | null;
    } }; output: OperatorRegion; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'region.exists' | 'region.not_found' | 'request.conflict' | 'request.too_large' };
  /** Delete a region */
  deleteRegion: { input: { params: { region_id: number } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'region.in_use' | 'region.last' | 'region.not_found' | 'request.conflict' | 'request.too_large' };
  /** Background jobs that failed for good */
  listFailedJobs: { input: { query?: { page?: number; size?: number } }; output: FailedJobPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** Try a failed job again, with all its retries */
  retryJob: { input: { params: { job_id: string } }; output: Empty; errors: 'auth.duplicate_cookie' | 'auth.foreign_origin' | 'auth.insufficient_scope' | 'auth.operators_only' | 'auth.required' | 'auth.view_only' | 'idempotency.answer_not_kept' | 'idempotency.in_progress' | 'idempotency.rights_lost' | 'job.not_found' | 'request.conflict' | 'request.too_large' };
  /** The whole platform at a glance: capacity, latency, queue, revenue, certificates and backups */
  getPlatformOverview: { input: Record<never, never>; output: PlatformOverview; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** What happened to a person and their teams, in a team, or to a site, newest first */
  listAnyEvents: { input: { query?: { user_id?: string; team_id?: string; site_id?: string; page?: number; size?: number } }; output: EventPage; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' | 'site.not_found' };
  /** Sign in to the metrics dashboard: the authorization step (OAuth2), which leads the browser back to it */
  authorizeMetrics: { input: { query: { client_id: string; redirect_uri: string; response_type?: string; scope?: string; state?: string; code_challenge?: string; code_challenge_method?: string } }; output: Blob; errors: 'auth.view_only' | 'metrics.not_configured' };
  /** Sign in to the metrics dashboard: the token step (OAuth2), for its server */
  exchangeMetricsCode: { input: { body?: {
      grant_type?: string | null;
      code?: string | null;
      redirect_uri?: string | null;
      code_verifier?: string | null;
      client_id?: string | null;
      client_secret?: string | null;
    } }; output: MetricsTokenGrant; errors: 'auth.view_only' | 'metrics.invalid_client' | 'metrics.invalid_grant' | 'metrics.invalid_request' | 'metrics.not_configured' | 'metrics.unsupported_grant_type' | 'request.conflict' | 'request.too_large' };
  /** Who is signed in, for the metrics dashboard */
  getMetricsUser: { input: Record<never, never>; output: MetricsUser; errors: 'auth.duplicate_cookie' | 'auth.required' };
  /** Where the metrics dashboard is */
  getMetricsDashboard: { input: Record<never, never>; output: MetricsDashboard; errors: 'auth.duplicate_cookie' | 'auth.operators_only' | 'auth.required' };
  /** The web application */
  getFrontEnd: { input: Record<never, never>; output: Blob; errors: never };
}

/** Where each operation is found. */
export const ROUTES = {
  signIn: { method: 'POST', path: '/f/api/v1/token', body: 'application/x-www-form-urlencoded', once: true },
  signOut: { method: 'POST', path: '/f/api/v1/logout' },
  introspectToken: { method: 'GET', path: '/f/api/v1/token/introspect' },
  listApiTokens: { method: 'GET', path: '/f/api/v1/api_token' },
  createApiToken: { method: 'POST', path: '/f/api/v1/api_token', body: 'application/json' },
  deleteApiToken: { method: 'DELETE', path: '/f/api/v1/api_token/{api_token_id}' },
  passSecondStep: { method: 'POST', path: '/f/api/v1/token/second_step', body: 'application/json', once: true },
  beginPasskeySignIn: { method: 'POST', path: '/f/api/v1/token/passkey/options', once: true },
  signInWithPasskey: { method: 'POST', path: '/f/api/v1/token/passkey', body: 'application/json', once: true },
  listSessions: { method: 'GET', path: '/f/api/v1/me/session' },
  deleteOtherSessions: { method: 'DELETE', path: '/f/api/v1/me/session' },
  deleteSession: { method: 'DELETE', path: '/f/api/v1/me/session/{session_id}' },
  beginDeviceSignIn: { method: 'POST', path: '/f/api/v1/device_sign_in', body: 'application/json', once: true },
  inspectDeviceSignIn: { method: 'POST', path: '/f/api/v1/device_sign_in/inspect', body: 'application/json' },
  confirmDeviceSignIn: { method: 'POST', path: '/f/api/v1/device_sign_in/confirm', body: 'application/json' },
  refuseDeviceSignIn: { method: 'POST', path: '/f/api/v1/device_sign_in/refuse', body: 'application/json' },
  exchangeDeviceCode: { method: 'POST', path: '/f/api/v1/device_sign_in/token', body: 'application/x-www-form-urlencoded', once: true },
  listMoments: { method: 'GET', path: '/f/api/v1/site/{fqdn}/moment' },
  getHappenings: { method: 'GET', path: '/f/api/v1/site/{fqdn}/happenings' },
  listRestorePoints: { method: 'GET', path: '/f/api/v1/site/{fqdn}/restore_point' },
  createRestorePoint: { method: 'POST', path: '/f/api/v1/site/{fqdn}/restore_point', body: 'application/json' },
  deleteRestorePoint: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/restore_point/{restore_point_id}' },
  registerOAuthClient: { method: 'POST', path: '/f/api/v1/oauth/register', body: 'application/json', once: true },
  getAuthorization: { method: 'GET', path: '/f/api/v1/oauth/authorization' },
  decideAuthorization: { method: 'POST', path: '/f/api/v1/oauth/authorization', body: 'application/json' },
  exchangeOAuthToken: { method: 'POST', path: '/f/api/v1/oauth/token', body: 'application/x-www-form-urlencoded', once: true },
  revokeOAuthToken: { method: 'POST', path: '/f/api/v1/oauth/revoke', body: 'application/x-www-form-urlencoded', once: true },
  listOAuthGrants: { method: 'GET', path: '/f/api/v1/oauth_grant' },
  deleteOAuthGrant: { method: 'DELETE', path: '/f/api/v1/oauth_grant/{oauth_grant_id}' },
  listSshKeys: { method: 'GET', path: '/f/api/v1/ssh_key' },
  createSshKey: { method: 'POST', path: '/f/api/v1/ssh_key', body: 'application/json' },
  deleteSshKey: { method: 'DELETE', path: '/f/api/v1/ssh_key/{ssh_key_id}' },
  register: { method: 'POST', path: '/f/api/v1/register', body: 'application/json' },
  verifyEmail: { method: 'POST', path: '/f/api/v1/verify_email', body: 'application/json' },
  resetPassword: { method: 'POST', path: '/f/api/v1/password_reset', body: 'application/json' },
  getMe: { method: 'GET', path: '/f/api/v1/me' },
  updateMe: { method: 'PATCH', path: '/f/api/v1/me', body: 'application/json' },
  getMyAddress: { method: 'GET', path: '/f/api/v1/me/address' },
  listAllUsers: { method: 'GET', path: '/f/api/v1/operator/user' },
  getAnyUser: { method: 'GET', path: '/f/api/v1/operator/user/{user_id}' },
  blockUser: { method: 'PATCH', path: '/f/api/v1/operator/user/{user_id}', body: 'application/json' },
  changeEmail: { method: 'POST', path: '/f/api/v1/me/email', body: 'application/json' },
  confirmEmail: { method: 'POST', path: '/f/api/v1/me/email/confirm', body: 'application/json' },
  takeEmailBack: { method: 'POST', path: '/f/api/v1/email/back', body: 'application/json' },
  transferTeam: { method: 'POST', path: '/f/api/v1/team/{team_id}/transfer', body: 'application/json' },
  deleteTeam: { method: 'POST', path: '/f/api/v1/team/{team_id}/delete', body: 'application/json' },
  deleteAccount: { method: 'POST', path: '/f/api/v1/me/delete', body: 'application/json' },
  viewAsUser: { method: 'POST', path: '/f/api/v1/operator/user/{user_id}/view', body: 'application/json' },
  listAccountViews: { method: 'GET', path: '/f/api/v1/operator/user/{user_id}/view' },
  endView: { method: 'POST', path: '/f/api/v1/account_view/end' },
  getSecondFactor: { method: 'GET', path: '/f/api/v1/me/second_factor' },
  beginTotp: { method: 'POST', path: '/f/api/v1/me/totp', body: 'application/json' },
  confirmTotp: { method: 'POST', path: '/f/api/v1/me/totp/confirm', body: 'application/json' },
  removeTotp: { method: 'POST', path: '/f/api/v1/me/totp/remove', body: 'application/json' },
  beginPasskey: { method: 'POST', path: '/f/api/v1/me/passkey/options', body: 'application/json' },
  createPasskey: { method: 'POST', path: '/f/api/v1/me/passkey', body: 'application/json' },
  removePasskey: { method: 'POST', path: '/f/api/v1/me/passkey/{passkey_id}/remove', body: 'application/json' },
  createRecoveryCodes: { method: 'POST', path: '/f/api/v1/me/recovery_code', body: 'application/json' },
  resetSecondFactor: { method: 'POST', path: '/f/api/v1/operator/user/{user_id}/second_factor/reset' },
  getNotifications: { method: 'GET', path: '/f/api/v1/me/notifications' },
  updateNotifications: { method: 'PATCH', path: '/f/api/v1/me/notifications', body: 'application/json' },
  unsubscribe: { method: 'POST', path: '/f/api/v1/unsubscribe', body: 'application/x-www-form-urlencoded' },
  openUnsubscribe: { method: 'GET', path: '/f/api/v1/unsubscribe' },
  listTeams: { method: 'GET', path: '/f/api/v1/team' },
  getTeam: { method: 'GET', path: '/f/api/v1/team/{team_id}' },
  updateTeam: { method: 'PATCH', path: '/f/api/v1/team/{team_id}', body: 'application/json' },
  listTeamEvents: { method: 'GET', path: '/f/api/v1/team/{team_id}/event' },
  listAllTeams: { method: 'GET', path: '/f/api/v1/operator/team' },
  getAnyTeam: { method: 'GET', path: '/f/api/v1/operator/team/{team_id}' },
  suspendTeam: { method: 'PATCH', path: '/f/api/v1/operator/team/{team_id}', body: 'application/json' },
  listAnyMembers: { method: 'GET', path: '/f/api/v1/operator/team/{team_id}/member' },
  listMembers: { method: 'GET', path: '/f/api/v1/team/{team_id}/member' },
  getMember: { method: 'GET', path: '/f/api/v1/team/{team_id}/member/{team_member_id}' },
  updateMember: { method: 'PATCH', path: '/f/api/v1/team/{team_id}/member/{team_member_id}', body: 'application/json' },
  removeMember: { method: 'DELETE', path: '/f/api/v1/team/{team_id}/member/{team_member_user_id}' },
  getTeamAttention: { method: 'GET', path: '/f/api/v1/team/{team_id}/attention' },
  listInvites: { method: 'GET', path: '/f/api/v1/team/{team_id}/invite' },
  createInvite: { method: 'POST', path: '/f/api/v1/team/{team_id}/invite', body: 'application/json' },
  updateInvite: { method: 'PATCH', path: '/f/api/v1/team/{team_id}/invite/{team_member_invite_id}', body: 'application/json' },
  deleteInvite: { method: 'DELETE', path: '/f/api/v1/team/{team_id}/invite/{team_member_invite_id}' },
  getInvite: { method: 'GET', path: '/f/api/v1/invite/{invite_id}' },
  inspectInvite: { method: 'POST', path: '/f/api/v1/invite/inspect', body: 'application/json' },
  acceptInvite: { method: 'POST', path: '/f/api/v1/invite/accept', body: 'application/json' },
  listPeople: { method: 'GET', path: '/f/api/v1/team/{team_id}/people' },
  listSites: { method: 'GET', path: '/f/api/v1/site' },
  createSite: { method: 'POST', path: '/f/api/v1/site', body: 'application/json' },
  importSite: { method: 'POST', path: '/f/api/v1/site/import', body: 'application/octet-stream' },
  getSite: { method: 'GET', path: '/f/api/v1/site/{fqdn}' },
  updateSite: { method: 'PATCH', path: '/f/api/v1/site/{fqdn}', body: 'application/json' },
  deleteSite: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}' },
  sleepSite: { method: 'POST', path: '/f/api/v1/site/{fqdn}/sleep' },
  wakeSite: { method: 'POST', path: '/f/api/v1/site/{fqdn}/wake' },
  clearSiteCache: { method: 'POST', path: '/f/api/v1/site/{fqdn}/cache/clear' },
  moveSite: { method: 'POST', path: '/f/api/v1/site/{fqdn}/move', body: 'application/json' },
  listSiteEvents: { method: 'GET', path: '/f/api/v1/site/{fqdn}/event' },
  getSiteCdn: { method: 'GET', path: '/f/api/v1/site/{fqdn}/cdn' },
  getSiteUsage: { method: 'GET', path: '/f/api/v1/site/{fqdn}/usage' },
  createSiteLogin: { method: 'POST', path: '/f/api/v1/site/{fqdn}/login' },
  listAllSites: { method: 'GET', path: '/f/api/v1/operator/site' },
  getAnySite: { method: 'GET', path: '/f/api/v1/operator/site/{site_id}' },
  listSiteLabels: { method: 'GET', path: '/f/api/v1/team/{team_id}/site_label' },
  labelSites: { method: 'POST', path: '/f/api/v1/team/{team_id}/site_label', body: 'application/json' },
  listSiteViews: { method: 'GET', path: '/f/api/v1/team/{team_id}/site_view' },
  saveSiteView: { method: 'POST', path: '/f/api/v1/team/{team_id}/site_view', body: 'application/json' },
  deleteSiteView: { method: 'DELETE', path: '/f/api/v1/team/{team_id}/site_view/{site_view_id}' },
  createCodeServerLogin: { method: 'POST', path: '/f/api/v1/site/{fqdn}/code_server/login' },
  checkSiteName: { method: 'GET', path: '/f/api/v1/site_name' },
  listSiteLog: { method: 'GET', path: '/f/api/v1/site/{fqdn}/log' },
  listSiteErrors: { method: 'GET', path: '/f/api/v1/site/{fqdn}/log/error' },
  streamSiteLog: { method: 'GET', path: '/f/api/v1/site/{fqdn}/log/stream' },
  getSitePicture: { method: 'GET', path: '/f/api/v1/site/{fqdn}/picture' },
  diagnoseSite: { method: 'GET', path: '/f/api/v1/site/{fqdn}/diagnosis' },
  createTerminal: { method: 'POST', path: '/f/api/v1/site/{fqdn}/terminal', body: 'application/json' },
  listTerminals: { method: 'GET', path: '/f/api/v1/site/{fqdn}/terminal' },
  endTerminal: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/terminal/{session_id}' },
  connectTerminal: { method: 'GET', path: '/f/api/v1/site/{fqdn}/terminal/socket' },
  getShellHtml: { method: 'GET', path: '/f/api/v1/site/{fqdn}/shell_html' },
  runSiteCommand: { method: 'POST', path: '/f/api/v1/site/{fqdn}/shell', body: 'application/json' },
  getSoftware: { method: 'GET', path: '/f/api/v1/site/{fqdn}/software' },
  checkSoftware: { method: 'POST', path: '/f/api/v1/site/{fqdn}/software/check' },
  updateSoftware: { method: 'POST', path: '/f/api/v1/site/{fqdn}/software/update', body: 'application/json' },
  installExtension: { method: 'POST', path: '/f/api/v1/site/{fqdn}/software/install', body: 'application/json' },
  switchExtension: { method: 'PATCH', path: '/f/api/v1/site/{fqdn}/software/{kind}/{name}', body: 'application/json' },
  deleteExtension: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/software/{kind}/{name}' },
  getSshServer: { method: 'GET', path: '/f/api/v1/ssh' },
  getSiteFile: { method: 'GET', path: '/f/api/v1/site/{fqdn}/file' },
  saveSiteFile: { method: 'PUT', path: '/f/api/v1/site/{fqdn}/file', body: 'application/json' },
  deleteSiteFile: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/file' },
  downloadSiteFile: { method: 'GET', path: '/f/api/v1/site/{fqdn}/file/download' },
  uploadSiteFile: { method: 'POST', path: '/f/api/v1/site/{fqdn}/file/upload', body: 'application/octet-stream' },
  createSiteFolder: { method: 'POST', path: '/f/api/v1/site/{fqdn}/file/folder', body: 'application/json' },
  moveSiteFile: { method: 'POST', path: '/f/api/v1/site/{fqdn}/file/move', body: 'application/json' },
  searchSiteFiles: { method: 'GET', path: '/f/api/v1/site/{fqdn}/file/search' },
  getSiteFileHistory: { method: 'GET', path: '/f/api/v1/site/{fqdn}/file/history' },
  listExternalPaths: { method: 'GET', path: '/f/api/v1/site/{fqdn}/external_path' },
  createExternalPath: { method: 'POST', path: '/f/api/v1/site/{fqdn}/external_path', body: 'application/json' },
  getExternalPath: { method: 'GET', path: '/f/api/v1/site/{fqdn}/external_path/{external_path_id}' },
  updateExternalPath: { method: 'PUT', path: '/f/api/v1/site/{fqdn}/external_path/{external_path_id}', body: 'application/json' },
  deleteExternalPath: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/external_path/{external_path_id}' },
  verifyDomain: { method: 'GET', path: '/f/api/v1/verify_domain' },
  getDomainClaim: { method: 'GET', path: '/f/api/v1/domain_claim' },
  listSiteDomains: { method: 'GET', path: '/f/api/v1/site/{fqdn}/domain' },
  createSiteDomain: { method: 'POST', path: '/f/api/v1/site/{fqdn}/domain', body: 'application/json' },
  verifySiteDomain: { method: 'POST', path: '/f/api/v1/site/{fqdn}/domain/{domain}/verify' },
  updateSiteDomain: { method: 'PUT', path: '/f/api/v1/site/{fqdn}/domain/{domain}', body: 'application/json' },
  deleteSiteDomain: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/domain/{domain}' },
  promoteSiteDomain: { method: 'POST', path: '/f/api/v1/site/{fqdn}/domain/{domain}/primary' },
  setSiteCertificate: { method: 'PUT', path: '/f/api/v1/site/{fqdn}/domain/{domain}/certificate', body: 'application/json' },
  deleteSiteCertificate: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/domain/{domain}/certificate' },
  listGitAccounts: { method: 'GET', path: '/f/api/v1/git_account' },
  createGitAccount: { method: 'POST', path: '/f/api/v1/git_account', body: 'application/json' },
  deleteGitAccount: { method: 'DELETE', path: '/f/api/v1/git_account/{git_account_id}' },
  listGitSyncRepositories: { method: 'GET', path: '/f/api/v1/get_git_sync_repos' },
  verifyGitSyncDirectories: { method: 'GET', path: '/f/api/v1/verify_git_sync_directories' },
  getGitLink: { method: 'GET', path: '/f/api/v1/site/{fqdn}/git_sync' },
  syncGit: { method: 'POST', path: '/f/api/v1/site/{fqdn}/git_sync' },
  renewGitHookSecret: { method: 'POST', path: '/f/api/v1/site/{fqdn}/git_sync/hook_secret' },
  receiveGitPush: { method: 'POST', path: '/f/api/v1/git_hook/{site_id}', body: 'application/octet-stream', once: true },
  getGitChanges: { method: 'GET', path: '/f/api/v1/site/{fqdn}/git_sync/changes' },
  commitGitChanges: { method: 'POST', path: '/f/api/v1/site/{fqdn}/git_sync/commit', body: 'application/json' },
  getBackups: { method: 'GET', path: '/f/api/v1/site/{fqdn}/backup' },
  listPitFiles: { method: 'GET', path: '/f/api/v1/site/{fqdn}/pit_files' },
  downloadBackup: { method: 'GET', path: '/f/api/v1/site/{fqdn}/backup/download' },
  createBlobUrls: { method: 'POST', path: '/f/api/v1/site/{fqdn}/blob_urls', body: 'application/json' },
  getBlob: { method: 'GET', path: '/f/api/v1/blob' },
  listPitRestores: { method: 'GET', path: '/f/api/v1/site/{fqdn}/pit_restore' },
  createPitRestore: { method: 'POST', path: '/f/api/v1/site/{fqdn}/pit_restore', body: 'application/json' },
  previewPitRestore: { method: 'POST', path: '/f/api/v1/site/{fqdn}/pit_restore/preview', body: 'application/json' },
  getPitRestore: { method: 'GET', path: '/f/api/v1/site/{fqdn}/pit_restore/{pit_restore_id}' },
  getPreview: { method: 'GET', path: '/f/api/v1/preview/{preview_id}' },
  createBreakSearch: { method: 'POST', path: '/f/api/v1/site/{fqdn}/break_search', body: 'application/json' },
  getBreakSearch: { method: 'GET', path: '/f/api/v1/site/{fqdn}/break_search/{break_search_id}' },
  createStage: { method: 'POST', path: '/f/api/v1/site/{fqdn}/stage', body: 'application/json' },
  deleteStage: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/stage' },
  updateStage: { method: 'PATCH', path: '/f/api/v1/site/{fqdn}/stage', body: 'application/json' },
  compareStage: { method: 'GET', path: '/f/api/v1/site/{fqdn}/stage/changes' },
  commitStage: { method: 'POST', path: '/f/api/v1/site/{fqdn}/stage/commit', body: 'application/json' },
  refreshStage: { method: 'POST', path: '/f/api/v1/site/{fqdn}/stage/refresh' },
  listStageMail: { method: 'GET', path: '/f/api/v1/site/{fqdn}/stage/mail' },
  listTemplates: { method: 'GET', path: '/f/api/v1/template' },
  createTemplate: { method: 'POST', path: '/f/api/v1/template', body: 'application/json' },
  getTemplate: { method: 'GET', path: '/f/api/v1/template/{template_name}' },
  updateTemplate: { method: 'PATCH', path: '/f/api/v1/template/{template_name}', body: 'application/json' },
  deleteTemplate: { method: 'DELETE', path: '/f/api/v1/template/{template_name}' },
  getTemplatePicture: { method: 'GET', path: '/f/api/v1/template/{template_name}/picture' },
  listAllTemplates: { method: 'GET', path: '/f/api/v1/operator/template' },
  approveTemplate: { method: 'PATCH', path: '/f/api/v1/operator/template/{template_name}', body: 'application/json' },
  listDeletedSites: { method: 'GET', path: '/f/api/v1/operator/deleted_site' },
  restoreDeletedSite: { method: 'POST', path: '/f/api/v1/operator/deleted_site/{site_id}/restore' },
  listEvents: { method: 'GET', path: '/f/api/v1/event' },
  streamEvents: { method: 'GET', path: '/f/api/v1/event/stream' },
  getEvent: { method: 'GET', path: '/f/api/v1/event/{event_id}' },
  readEvents: { method: 'POST', path: '/f/api/v1/event/read', body: 'application/json' },
  listTeamTickets: { method: 'GET', path: '/f/api/v1/team/{team_id}/ticket' },
  listTickets: { method: 'GET', path: '/f/api/v1/support/ticket' },
  createTicket: { method: 'POST', path: '/f/api/v1/support/ticket', body: 'application/json' },
  getTicket: { method: 'GET', path: '/f/api/v1/support/ticket/{ticket_id}' },
  updateTicket: { method: 'PATCH', path: '/f/api/v1/support/ticket/{ticket_id}', body: 'application/json' },
  deleteTicket: { method: 'DELETE', path: '/f/api/v1/support/ticket/{ticket_id}' },
  listReplies: { method: 'GET', path: '/f/api/v1/support/ticket/{ticket_id}/reply' },
  createReply: { method: 'POST', path: '/f/api/v1/support/ticket/{ticket_id}/reply', body: 'application/json' },
  getTicketContext: { method: 'GET', path: '/f/api/v1/support/ticket/{ticket_id}/context' },
  streamAnswers: { method: 'GET', path: '/f/api/v1/support/ticket/{ticket_id}/answer/stream' },
  listAllTickets: { method: 'GET', path: '/f/api/v1/operator/ticket' },
  getAnyTicket: { method: 'GET', path: '/f/api/v1/operator/ticket/{ticket_id}' },
  getAnyTicketContext: { method: 'GET', path: '/f/api/v1/operator/ticket/{ticket_id}/context' },
  assignTicket: { method: 'PUT', path: '/f/api/v1/operator/ticket/{ticket_id}/assignee', body: 'application/json' },
  unassignTicket: { method: 'DELETE', path: '/f/api/v1/operator/ticket/{ticket_id}/assignee' },
  listAnyReplies: { method: 'GET', path: '/f/api/v1/operator/ticket/{ticket_id}/reply' },
  answerTicket: { method: 'POST', path: '/f/api/v1/operator/ticket/{ticket_id}/reply', body: 'application/json' },
  uploadAttachment: { method: 'POST', path: '/f/api/v1/support/attachment', body: 'application/octet-stream' },
  getAttachment: { method: 'GET', path: '/f/api/v1/support/attachment/{s3_object}' },
  listProposals: { method: 'GET', path: '/f/api/v1/proposal' },
  createProposal: { method: 'POST', path: '/f/api/v1/proposal', body: 'application/json' },
  getProposal: { method: 'GET', path: '/f/api/v1/proposal/{proposal_id}' },
  confirmProposal: { method: 'POST', path: '/f/api/v1/proposal/{proposal_id}/confirm' },
  refuseProposal: { method: 'POST', path: '/f/api/v1/proposal/{proposal_id}/refuse' },
  listWebhooks: { method: 'GET', path: '/f/api/v1/team/{team_id}/webhook' },
  createWebhook: { method: 'POST', path: '/f/api/v1/team/{team_id}/webhook', body: 'application/json' },
  getWebhook: { method: 'GET', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}' },
  updateWebhook: { method: 'PATCH', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}', body: 'application/json' },
  deleteWebhook: { method: 'DELETE', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}' },
  rotateWebhookSecret: { method: 'POST', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}/rotate_secret', body: 'application/json' },
  testWebhook: { method: 'POST', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}/test' },
  replayWebhook: { method: 'POST', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}/replay', body: 'application/json' },
  listWebhookDeliveries: { method: 'GET', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}/delivery' },
  getWebhookDelivery: { method: 'GET', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}' },
  replayWebhookDelivery: { method: 'POST', path: '/f/api/v1/team/{team_id}/webhook/{webhook_id}/delivery/{delivery_id}/replay' },
  listApplicationPasswords: { method: 'GET', path: '/f/api/v1/team/{team_id}/application_password' },
  createApplicationPassword: { method: 'POST', path: '/f/api/v1/application_password', body: 'application/json' },
  updateApplicationPassword: { method: 'PUT', path: '/f/api/v1/application_password/{fqdn}', body: 'application/json' },
  deleteApplicationPassword: { method: 'DELETE', path: '/f/api/v1/application_password/{fqdn}' },
  cmsProxy: { method: 'POST', path: '/f/api/v1/cms-proxy', body: 'application/json' },
  storefrontProxy: { method: 'POST', path: '/f/api/v1/storefront-proxy', body: 'application/json' },
  analyticsProxy: { method: 'POST', path: '/f/api/v1/analytics-proxy', body: 'application/json' },
  callXmlRpc: { method: 'POST', path: '/f/api/v1/xmlrpc/{fqdn}', body: 'text/xml' },
  listPlans: { method: 'GET', path: '/f/api/v1/plan' },
  createCheckoutSession: { method: 'POST', path: '/f/api/v1/create_checkout_session', body: 'application/json' },
  syncCheckout: { method: 'POST', path: '/f/api/v1/checkout/{checkout_id}/sync' },
  createPortalSession: { method: 'POST', path: '/f/api/v1/create_portal_session' },
  syncBilling: { method: 'POST', path: '/f/api/v1/billing/sync' },
  getTeamBilling: { method: 'GET', path: '/f/api/v1/team/{team_id}/billing' },
  getTeamBills: { method: 'GET', path: '/f/api/v1/team/{team_id}/bills' },
  setAdditionalSites: { method: 'PUT', path: '/f/api/v1/team/{team_id}/additional_sites', body: 'application/json' },
  receivePaymentEvent: { method: 'POST', path: '/f/api/v1/payment_webhook', body: 'application/octet-stream', once: true },
  setTeamPlan: { method: 'PUT', path: '/f/api/v1/operator/team/{team_id}/plan', body: 'application/json' },
  getTestCheckout: { method: 'GET', path: '/f/api/v1/test_checkout/{session_id}' },
  endTestCheckout: { method: 'POST', path: '/f/api/v1/test_checkout/{session_id}', body: 'application/json' },
  getTestPortal: { method: 'GET', path: '/f/api/v1/test_portal/{session_id}' },
  actInTestPortal: { method: 'POST', path: '/f/api/v1/test_portal/{session_id}', body: 'application/json' },
  getTeamUsage: { method: 'GET', path: '/f/api/v1/team/{team_id}/usage' },
  listSiteUse: { method: 'GET', path: '/f/api/v1/team/{team_id}/site_use' },
  listRegions: { method: 'GET', path: '/f/api/v1/region' },
  getRegion: { method: 'GET', path: '/f/api/v1/region/{region_id}' },
  listAllRegions: { method: 'GET', path: '/f/api/v1/operator/region' },
  createRegion: { method: 'POST', path: '/f/api/v1/operator/region', body: 'application/json' },
  updateRegion: { method: 'PATCH', path: '/f/api/v1/operator/region/{region_id}', body: 'application/json' },
  deleteRegion: { method: 'DELETE', path: '/f/api/v1/operator/region/{region_id}' },
  listFailedJobs: { method: 'GET', path: '/f/api/v1/operator/job' },
  retryJob: { method: 'POST', path: '/f/api/v1/operator/job/{job_id}/retry' },
  getPlatformOverview: { method: 'GET', path: '/f/api/v1/operator/overview' },
  listAnyEvents: { method: 'GET', path: '/f/api/v1/operator/event' },
  authorizeMetrics: { method: 'GET', path: '/f/api/v1/metrics-auth' },
  exchangeMetricsCode: { method: 'POST', path: '/f/api/v1/metrics-token', body: 'application/x-www-form-urlencoded', once: true },
  getMetricsUser: { method: 'GET', path: '/f/api/v1/metrics-api' },
  getMetricsDashboard: { method: 'GET', path: '/f/api/v1/operator/metrics' },
  getFrontEnd: { method: 'GET', path: '/f/api/v1/fastapi' },
} as const satisfies Record<keyof Operations, { method: string; path: string; body?: string; once?: true }>;
