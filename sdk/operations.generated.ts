// Made from the operations by npm run gen.

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
export type Checkout = {
  id: string;
  status: 'open' | 'paid' | 'closed';
  plan_name: 'free' | 'micro' | 'starter' | 'business';
  interval: 'month' | 'year';
  team_name: string;
  team_id: string | null;
  created_at: string;
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
  request_id?: string;
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
export type GitSyncRepository = {
  git_url: string;
  provider: 'github' | 'gitlab' | 'gitea' | 'ssh' | 'git';
  default_branch: string | null;
  branches: Array<string>;
  linked_sites: Array<string>;
};
export type Introspection = {
  active: boolean;
  kind: 'session' | 'api_token' | 'metrics';
  scopes: Array<'read' | 'write' | 'plan'>;
  user_id: string;
  team_id: string | null;
  expires_at: string | null;
};
export type LinkAnswer = {
  access_token?: string;
  token_type?: 'bearer';
  expires_in?: number;
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
export type OpenedInvite = {
  team_name: string;
  target_email: string;
  first_name: string | null;
  role: 'admin' | 'member' | 'viewer';
  expiry: string;
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
  restore_point: string;
  backup_point: string | null;
  undo_point: string | null;
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
  restore_point: string;
  backup_point: string | null;
  undo_point: string | null;
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
  restore_point: string;
  backup_point: string | null;
  undo_point: string | null;
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
export type Preview = {
  id: string;
  restore_point: string;
  is_ready: boolean;
  url: string | null;
  expires_at: string;
};
export type ProxyAnswer = {
  status_code: number;
  headers: Record<string, unknown>;
  body: unknown;
  body_encoding: 'json' | 'text' | 'base64' | 'empty';
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
  created_at: string;
};
export type ReplayedDeliveries = {
  count: number;
};
export type SessionUrl = {
  url: string;
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
  is_sleeping: boolean;
  is_free: boolean;
  is_testing: boolean;
  is_ns_root: boolean;
  domain_option: 'platform' | 'custom';
  favicon_url: string;
  http_auth_enabled: boolean;
  http_auth_password: string;
  code_server_enabled: boolean;
  code_server_password: string;
  dkim_key: string | null;
  db_prefix: string;
  git_url: string | null;
  git_last_sync_hash: string | null;
  current_cycle_visits: number;
  current_cycle_bandwidth: number;
  current_storage: number;
  min_restore_point: string;
  max_restore_point: string;
  external_paths: Array<ExternalPath>;
  properties: Record<string, unknown>;
  site_stage: {
    id: string;
    fqdn: string;
    git_branch: string | null;
    created_at: string;
  } | null;
  tracked_tables: Array<string>;
  untracked_tables: Array<string>;
  created_at: string;
};
export type SiteLogin = {
  url: string;
  expires_at: string;
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
  }>;
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
  created_at: string;
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
export type TeamInvite = {
  id: string;
  created_at: string;
  created_by: string | null;
  expiry: string;
  first_name: string | null;
  link: string;
  role: 'admin' | 'member' | 'viewer';
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
  ticket_replies: Array<TicketReply>;
  ticket_replies_count: number;
  ticket_replies_next: string | null;
  created_at: string;
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
  event_types: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'restore.dry_run' | 'restore.preview' | 'restore.started' | 'site.created' | 'site.deleted' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'external_path.*' | 'git.*' | 'member.*' | 'restore.*' | 'site.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'>;
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
  event_types: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'restore.dry_run' | 'restore.preview' | 'restore.started' | 'site.created' | 'site.deleted' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'external_path.*' | 'git.*' | 'member.*' | 'restore.*' | 'site.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'>;
  is_active: boolean;
  disabled_reason: 'gone' | 'failing' | 'person_left' | null;
  failing_since: string | null;
  created_at: string;
  secret: string;
};

/** What each operation takes and answers. */
export interface Operations {
  /** Sign in with email address and password (OAuth2 password grant); sets the session cookie too */
  signIn: { input: { body: {
      grant_type?: 'password' | null;
      username: string;
      password: string;
    } }; output: TokenGrant };
  /** End the credential that comes with the request */
  signOut: { input: Record<never, never>; output: Empty };
  /** What the credential of this request may do */
  introspectToken: { input: Record<never, never>; output: Introspection };
  /** Your personal API tokens */
  listApiTokens: { input: { query?: { page?: number; size?: number } }; output: ApiTokenPage };
  /** Make a personal API token; the token itself is shown only in this answer */
  createApiToken: { input: { body: {
      name: string;
      scopes: Array<'read' | 'write' | 'plan'>;
      team_id?: string | null;
      expires_at?: string | null;
    } }; output: CreatedApiToken };
  /** Revoke a personal API token, at once */
  deleteApiToken: { input: { params: { api_token_id: string } }; output: Empty };
  /** Make an account, with a team on the plan free */
  register: { input: { body: {
      email: string;
      password: string;
      first_name: string;
      last_name: string;
    } }; output: User };
  /** Confirm the email address with the mailed token, or, signed in and without one, have the mail sent again */
  verifyEmail: { input: { body?: {
      token?: string | null;
    } }; output: LinkAnswer };
  /** Have a link mailed to set a new password, or set it with the mailed token */
  resetPassword: { input: { body?: {
      email?: string | null;
      token?: string | null;
      password?: string | null;
    } }; output: LinkAnswer };
  /** Who is signed in */
  getMe: { input: Record<never, never>; output: Me };
  /** Change your name, your default region or your password; a new password ends every other session */
  updateMe: { input: { body?: {
      first_name?: string;
      last_name?: string;
      current_password?: string;
      new_password?: string;
      default_region?: string | null;
    } }; output: Me };
  /** The teams you own or belong to */
  listTeams: { input: { query?: { page?: number; size?: number } }; output: TeamPage };
  /** One team, with its plan and usage */
  getTeam: { input: { params: { team_id: string } }; output: Team };
  /** Change the name or the time zone of a team */
  updateTeam: { input: { params: { team_id: string }; body?: {
      name?: string;
      timezone?: string;
    } }; output: Team };
  /** What happened in a team, newest first */
  listTeamEvents: { input: { params: { team_id: string }; query?: { after_datetime?: string; page?: number; size?: number } }; output: EventPage };
  /** The people in a team, the owner included */
  listMembers: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TeamMemberPage };
  /** One member, by the id of the membership */
  getMember: { input: { params: { team_id: string; team_member_id: string } }; output: TeamMember };
  /** Remove a member, by the id of the user; everybody may remove themself */
  removeMember: { input: { params: { team_id: string; team_member_id: string } }; output: Empty };
  /** Every team of the platform */
  listAllTeams: { input: { query?: { page?: number; size?: number } }; output: TeamPage };
  /** Suspend a team, or lift its suspension */
  suspendTeam: { input: { params: { team_id: string }; body: {
      is_active: boolean;
    } }; output: Team };
  /** Invites of a team that nobody has accepted yet */
  listInvites: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TeamInvitePage };
  /** Invite somebody into a team by mail */
  createInvite: { input: { params: { team_id: string }; body: {
      target_email: string;
      first_name: string;
      message?: string | null;
      role?: 'admin' | 'member' | 'viewer';
    } }; output: TeamInvite };
  /** Withdraw an invite */
  deleteInvite: { input: { params: { team_id: string; team_member_invite_id: string } }; output: Empty };
  /** One invite of a team you own */
  getInvite: { input: { params: { invite_id: string } }; output: TeamInvite };
  /** What the link of an invite says, before signing in */
  inspectInvite: { input: { body: {
      token: string;
    } }; output: OpenedInvite };
  /** Join the team that the invite is for */
  acceptInvite: { input: { body: {
      token: string;
    } }; output: Team };
  /** The sites of your teams, or of one of them, newest first */
  listSites: { input: { query?: { team_id?: string; page?: number; size?: number } }; output: SitePage };
  /** Create a site: a WordPress of your own under a name of your choice */
  createSite: { input: { body: {
      fqdn: string;
      team_id: string;
      region_name?: string | null;
      is_free?: boolean;
      template_name?: string | null;
      git_url?: string | null;
      cms_blog_name: string;
      cms_username: string;
      cms_email: string;
      cms_first_name: string;
      cms_last_name: string;
      cms_password: string;
    } }; output: Site };
  /** One site */
  getSite: { input: { params: { fqdn: string } }; output: Site };
  /** Change a site: its protection, its cache, its name, its team, its version of WordPress */
  updateSite: { input: { params: { fqdn: string }; body?: {
      new_fqdn?: string;
      team_id?: string;
      is_free?: boolean;
      http_auth_enabled?: boolean;
      code_server_enabled?: boolean;
      cdn_dev_mode_enabled?: boolean;
      cdn_firewall_enabled?: boolean;
      cdn_firewall_allowed_ips?: Array<string>;
      git_url?: string | null;
      core_version?: string;
    } }; output: Site };
  /** Delete a site; its name is free at once */
  deleteSite: { input: { params: { fqdn: string } }; output: Empty };
  /** Put a site to sleep; the next visit wakes it */
  sleepSite: { input: { params: { fqdn: string }; query?: { for_code_server?: boolean } }; output: Site };
  /** What happened to a site, newest first */
  listSiteEvents: { input: { params: { fqdn: string }; query?: { after_datetime?: string; page?: number; size?: number } }; output: EventPage };
  /** The site with its cache and its firewall, in properties.cdn */
  getSiteCdn: { input: { params: { fqdn: string } }; output: Site };
  /** Visits, requests and bandwidth of a site over time */
  getSiteUsage: { input: { params: { fqdn: string }; query?: { from?: string; to?: string; step?: 'hour' | 'day' } }; output: SiteUsage };
  /** A link that opens wp-admin as the first administrator, once */
  createSiteLogin: { input: { params: { fqdn: string } }; output: SiteLogin };
  /** The paths of a site that lead elsewhere */
  listExternalPaths: { input: { params: { fqdn: string }; query?: { page?: number; size?: number } }; output: ExternalPathPage };
  /** Send a path of the site to an external URL */
  createExternalPath: { input: { params: { fqdn: string }; body: {
      path: string;
      external_name: string;
    } }; output: ExternalPath };
  /** One external path */
  getExternalPath: { input: { params: { fqdn: string; external_path_id: string } }; output: ExternalPath };
  /** Change an external path */
  updateExternalPath: { input: { params: { fqdn: string; external_path_id: string }; body: {
      path: string;
      external_name: string;
    } }; output: ExternalPath };
  /** Delete an external path; WordPress answers there again */
  deleteExternalPath: { input: { params: { fqdn: string; external_path_id: string } }; output: Empty };
  /** Whether a domain's DNS records lead to the platform, record by record */
  verifyDomain: { input: { query: { fqdn: string } }; output: VerifiedDomain };
  /** The TXT record by which a team proves that a domain is its own, and whether it is published */
  getDomainClaim: { input: { query: { fqdn: string; team_id: string } }; output: DomainClaim };
  /** The accounts at Git hosts that you linked */
  listGitAccounts: { input: { query?: { page?: number; size?: number } }; output: GitAccountPage };
  /** Link an account at a Git host by a token, which is tried first, or by a key that we make */
  createGitAccount: { input: { body: {
      provider: 'github' | 'gitlab' | 'gitea' | 'ssh';
      base_url?: string | null;
      token?: string | null;
    } }; output: GitAccount };
  /** Remove a linked account, and with it its token or key */
  deleteGitAccount: { input: { params: { git_account_id: string } }; output: Empty };
  /** The repositories of your linked Git accounts, and those that your sites are linked to */
  listGitSyncRepositories: { input: Record<never, never>; output: Array<GitSyncRepository> };
  /** Whether a repository holds what the content of a site is made of */
  verifyGitSyncDirectories: { input: { query: { git_url: string; git_branch?: string } }; output: VerifiedRepository };
  /** The backup closest to a point, at or before it; with number_to_fetch a list of them, closest first */
  getBackups: { input: { params: { fqdn: string }; query?: { number_to_fetch?: number; restore_point?: string } }; output: BackupOrBackups };
  /** The files below wp-content at a point in time */
  listPitFiles: { input: { params: { fqdn: string }; query?: { restore_point?: string; prefix?: string } }; output: PitFiles };
  /** Links to single files of a backup, which open for an hour without signing in */
  createBlobUrls: { input: { params: { fqdn: string }; query?: { at_date?: string }; body: {
      keys: Array<string>;
      version_ids?: Array<string | null> | null;
    } }; output: BlobUrls };
  /** What a link of createBlobUrls opens; takes ranges */
  getBlob: { input: { query: { token: string } }; output: Blob };
  /** The restores of a site, newest first */
  listPitRestores: { input: { params: { fqdn: string }; query?: { page?: number; size?: number } }; output: PitRestorePage };
  /** Bring files and database back to a point in time, or try it on a copy */
  createPitRestore: { input: { params: { fqdn: string }; body: {
      restore_point: string;
      delete_extra_files?: boolean;
      restore_db?: boolean;
      restore_cms_content?: boolean;
      db_restore_hash?: string | null;
      for_stage_site?: boolean;
      is_dry_run?: boolean;
    } }; output: PitRestore };
  /** What a restore would change, at once; nothing is stored and nothing is changed */
  previewPitRestore: { input: { params: { fqdn: string }; query?: { browse?: boolean; now_hash?: string; page?: number; size?: number }; body: {
      restore_point: string;
      delete_extra_files?: boolean;
      restore_db?: boolean;
      restore_cms_content?: boolean;
      db_restore_hash?: string | null;
      for_stage_site?: boolean;
      is_dry_run?: boolean;
    } }; output: PitPreview };
  /** One restore: its record, with every change by the page (`changes`), or as a report in plain text (`text`) */
  getPitRestore: { input: { params: { fqdn: string; pit_restore_id: string }; query?: { format?: 'json' | 'changes' | 'text'; page?: number; size?: number } }; output: PitRestoreDetail };
  /** The way into a preview that you asked for */
  getPreview: { input: { params: { preview_id: string } }; output: Preview };
  /** Deleted sites that can still be brought back */
  listDeletedSites: { input: { query?: { page?: number; size?: number } }; output: DeletedSitePage };
  /** Bring a deleted site back under its name */
  restoreDeletedSite: { input: { params: { site_id: string } }; output: Site };
  /** What happened in your teams and your account, newest first */
  listEvents: { input: { query?: { fqdn?: string; page?: number; size?: number } }; output: EventPage };
  /** Events as they happen and as they progress (Server-Sent Events); continues after Last-Event-ID */
  streamEvents: { input: Record<never, never>; output: Blob };
  /** One event: how far an operation is, or how it ended */
  getEvent: { input: { params: { event_id: string } }; output: Event };
  /** Mark an event and everything before it as read */
  readEvents: { input: { body: {
      event_id: string;
    } }; output: Empty };
  /** The tickets of a team */
  listTeamTickets: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: TicketPage };
  /** Your newest ticket; with page or size, a page of your tickets */
  listTickets: { input: { query?: { page?: number; size?: number } }; output: OwnTickets };
  /** Open a ticket */
  createTicket: { input: { body: {
      team_id: string;
      subject: string;
      description: string;
      category?: string | null;
      resolved?: boolean;
      s3_object?: string | null;
      site_live_id?: string | null;
    } }; output: Ticket };
  /** One ticket with its replies */
  getTicket: { input: { params: { ticket_id: string } }; output: Ticket };
  /** Give the assistant instructions for this ticket */
  updateTicket: { input: { params: { ticket_id: string }; body?: {
      assistant_custom_instructions?: string | null;
    } }; output: Ticket };
  /** Delete a ticket with its replies */
  deleteTicket: { input: { params: { ticket_id: string } }; output: Empty };
  /** The replies to a ticket, newest first */
  listReplies: { input: { params: { ticket_id: string }; query?: { page?: number; size?: number } }; output: TicketReplyPage };
  /** Reply to a ticket, resolve or reopen it */
  createReply: { input: { params: { ticket_id: string }; body?: {
      description?: string | null;
      is_assistant_chat_message?: boolean | null;
      resolve?: boolean | null;
    } }; output: TicketReply };
  /** Every ticket of the platform */
  listAllTickets: { input: { query?: { resolved?: boolean; page?: number; size?: number } }; output: TicketPage };
  /** Any ticket with its replies */
  getAnyTicket: { input: { params: { ticket_id: string } }; output: Ticket };
  /** The replies to any ticket, newest first */
  listAnyReplies: { input: { params: { ticket_id: string }; query?: { page?: number; size?: number } }; output: TicketReplyPage };
  /** Answer any ticket as the platform; its author is mailed */
  answerTicket: { input: { params: { ticket_id: string }; body?: {
      description?: string | null;
      is_assistant_chat_message?: boolean | null;
      resolve?: boolean | null;
    } }; output: TicketReply };
  /** Upload a file (the body is its bytes) that a ticket then names as s3_object */
  uploadAttachment: { input: { query: { name: string }; body: Blob }; output: Attachment };
  /** Download an attachment */
  getAttachment: { input: { params: { s3_object: string } }; output: Blob };
  /** The addresses that are told of what happens in a team */
  listWebhooks: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: WebhookPage };
  /** Have an address told of what happens; the answer shows the secret that calls are signed with, this once */
  createWebhook: { input: { params: { team_id: string }; body: {
      url: string;
      description?: string;
      event_types?: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'restore.dry_run' | 'restore.preview' | 'restore.started' | 'site.created' | 'site.deleted' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'external_path.*' | 'git.*' | 'member.*' | 'restore.*' | 'site.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'>;
    } }; output: WebhookWithSecret };
  /** One webhook */
  getWebhook: { input: { params: { team_id: string; webhook_id: string } }; output: Webhook };
  /** Change a webhook, or switch it on or off; what waited goes out when it is switched on */
  updateWebhook: { input: { params: { team_id: string; webhook_id: string }; body?: {
      url?: string;
      description?: string;
      event_types?: Array<'application_password.created' | 'application_password.deleted' | 'application_password.updated' | 'backup.failed' | 'billing.limit_reached' | 'billing.plan_changed' | 'external_path.created' | 'external_path.deleted' | 'external_path.updated' | 'git.synced' | 'member.invited' | 'member.joined' | 'member.removed' | 'member.uninvited' | 'restore.dry_run' | 'restore.preview' | 'restore.started' | 'site.created' | 'site.deleted' | 'site.restored' | 'site.shell' | 'site.signed_in' | 'site.slept' | 'site.updated' | 'site.woke' | 'stage.committed' | 'stage.created' | 'stage.deleted' | 'team.updated' | 'template.created' | 'template.deleted' | 'template.updated' | 'ticket.opened' | 'ticket.reopened' | 'ticket.replied' | 'ticket.resolved' | 'webhook.created' | 'webhook.deleted' | 'webhook.disabled' | 'webhook.updated' | 'application_password.*' | 'backup.*' | 'billing.*' | 'external_path.*' | 'git.*' | 'member.*' | 'restore.*' | 'site.*' | 'stage.*' | 'team.*' | 'template.*' | 'ticket.*' | 'webhook.*'>;
      is_active?: boolean;
    } }; output: Webhook };
  /** Delete a webhook, with what waited for it */
  deleteWebhook: { input: { params: { team_id: string; webhook_id: string } }; output: Empty };
  /** A new secret, shown this once; for 24 hours calls are signed with the old one too */
  rotateWebhookSecret: { input: { params: { team_id: string; webhook_id: string }; body?: {
      revoke_previous?: boolean;
    } }; output: WebhookWithSecret };
  /** Call the address now with an event webhook.test, and see its answer */
  testWebhook: { input: { params: { team_id: string; webhook_id: string } }; output: WebhookDeliveryDetail };
  /** Send again what failed since a moment, or what was delivered since then */
  replayWebhook: { input: { params: { team_id: string; webhook_id: string }; body: {
      since: string;
      state?: 'failed' | 'delivered';
    } }; output: ReplayedDeliveries };
  /** What was sent to a webhook within 30 days, and what waits to be */
  listWebhookDeliveries: { input: { params: { team_id: string; webhook_id: string }; query?: { state?: 'waiting' | 'delivered' | 'failed'; page?: number; size?: number } }; output: WebhookDeliveryPage };
  /** One delivery, with what was sent and what came back last */
  getWebhookDelivery: { input: { params: { team_id: string; webhook_id: string; delivery_id: string } }; output: WebhookDeliveryDetail };
  /** Send a delivery again, under the same webhook-id */
  replayWebhookDelivery: { input: { params: { team_id: string; webhook_id: string; delivery_id: string } }; output: WebhookDeliveryDetail };
  /** The hosts elsewhere that a team has a password for; the passwords are not shown */
  listApplicationPasswords: { input: { params: { team_id: string }; query?: { page?: number; size?: number } }; output: ApplicationPasswordPage };
  /** Store a password for a site that is hosted elsewhere, or for a storefront */
  createApplicationPassword: { input: { body: {
      fqdn: string;
      username: string;
      password: string;
      team_id: string;
    } }; output: ApplicationPasswordName };
  /** Change the password for a host; team_id says which where several of your teams have one */
  updateApplicationPassword: { input: { params: { fqdn: string }; query?: { team_id?: string }; body?: {
      fqdn?: string;
      username?: string;
      password?: string;
    } }; output: ApplicationPasswordName };
  /** Delete the password for a host and show it a last time */
  deleteApplicationPassword: { input: { params: { fqdn: string }; query?: { team_id?: string } }; output: DeletedApplicationPassword };
  /** Pass a request on to a site's JSON API: one of yours here, or one elsewhere with a stored password */
  cmsProxy: { input: { body: {
      method?: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options' | 'head';
      query_params_json?: string;
      body_json?: string;
      fqdn: string;
      path?: string;
      team_id?: string;
    } }; output: ProxyAnswer };
  /** Pass a request on to the admin API of a storefront, with the stored access token of that shop */
  storefrontProxy: { input: { body: {
      method?: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options' | 'head';
      query_params_json?: string;
      body_json?: string;
      shop_name: string;
      path?: string;
      team_id?: string;
    } }; output: ProxyAnswer };
  /** Pass a request on to the analytics API (Plausible) about sites of yours, which it names as site_id */
  analyticsProxy: { input: { body: {
      method?: 'get' | 'post' | 'put' | 'delete' | 'patch' | 'options' | 'head';
      query_params_json?: string;
      body_json?: string;
      path: string;
    } }; output: ProxyAnswer };
  /** Pass an XML-RPC call on to a site; elsewhere {{username}} and {{password}} stand for what is stored */
  callXmlRpc: { input: { params: { fqdn: string }; query?: { team_id?: string }; body: Blob }; output: Blob };
  /** The plans, with what they have and what they cost */
  listPlans: { input: Record<never, never>; output: Array<Plan> };
  /** Buy a team, or upgrade one that is free: answers where to pay */
  createCheckoutSession: { input: { body: {
      for_team_id?: string | null;
      new_team_name?: string | null;
      plan_name: 'free' | 'micro' | 'starter' | 'business';
      interval?: 'month' | 'year';
    } }; output: SessionUrl };
  /** Ask the provider whether a checkout was paid, for whoever comes back from it */
  syncCheckout: { input: { params: { checkout_id: string } }; output: Checkout };
  /** Where you change or cancel what you pay for, and find your invoices */
  createPortalSession: { input: Record<never, never>; output: SessionUrl };
  /** Ask the provider what you pay for, for whoever comes back from the portal */
  syncBilling: { input: Record<never, never>; output: SyncedBilling };
  /** What a team pays for, until when, and how much of it is used */
  getTeamBilling: { input: { params: { team_id: string } }; output: TeamBilling };
  /** Pay for more sites than the plan has, or for fewer again */
  setAdditionalSites: { input: { params: { team_id: string }; body: {
      additional_sites: number;
    } }; output: TeamBilling };
  /** For the payment provider alone, who signs what it sends */
  receivePaymentEvent: { input: { body: Blob }; output: string };
  /** A checkout of the built-in provider, which takes no money */
  getTestCheckout: { input: { params: { session_id: string } }; output: TestCheckout };
  /** Pay a test checkout, or have the card declined; no money moves */
  endTestCheckout: { input: { params: { session_id: string }; body: {
      outcome: 'paid' | 'declined';
    } }; output: TestCheckout };
  /** A billing portal of the built-in provider */
  getTestPortal: { input: { params: { session_id: string } }; output: TestPortal };
  /** Change, cancel, pay or fail to pay a test subscription; no money moves */
  actInTestPortal: { input: { params: { session_id: string }; body: {
      action: 'change_plan' | 'cancel' | 'resume' | 'end_now' | 'fail_payment' | 'pay';
      subscription: string;
      plan_name?: 'micro' | 'starter' | 'business';
      interval?: 'month' | 'year';
    } }; output: TestPortal };
  /** Visits and bytes of a team by hour or by day */
  getTeamUsage: { input: { params: { team_id: string }; query?: { from?: string; to?: string; step?: 'hour' | 'day' } }; output: TeamUsage };
  /** The places where sites can be hosted */
  listRegions: { input: Record<never, never>; output: Array<Region> };
  /** One region */
  getRegion: { input: { params: { region_id: number } }; output: Region };
  /** Add a region */
  createRegion: { input: { body: {
      name: string;
      city: string;
      country: string;
      country_code: string;
      cname: string;
      ip: string;
      name_servers?: Array<string>;
    } }; output: Region };
  /** Change a region */
  updateRegion: { input: { params: { region_id: number }; body?: {
      name?: string;
      city?: string;
      country?: string;
      country_code?: string;
      cname?: string;
      ip?: string;
      name_servers?: Array<string>;
    } }; output: Region };
  /** Delete a region */
  deleteRegion: { input: { params: { region_id: number } }; output: Empty };
  /** Background jobs that failed for good */
  listFailedJobs: { input: { query?: { page?: number; size?: number } }; output: FailedJobPage };
  /** Try a failed job again, with all its retries */
  retryJob: { input: { params: { job_id: string } }; output: Empty };
  /** Sign in to the metrics dashboard: the authorization step (OAuth2), which leads the browser back to it */
  authorizeMetrics: { input: { query: { client_id: string; redirect_uri: string; response_type?: string; scope?: string; state?: string; code_challenge?: string; code_challenge_method?: string } }; output: Blob };
  /** Sign in to the metrics dashboard: the token step (OAuth2), for its server */
  exchangeMetricsCode: { input: { body?: {
      grant_type?: string;
      code?: string;
      redirect_uri?: string;
      code_verifier?: string;
      client_id?: string;
      client_secret?: string;
    } }; output: MetricsTokenGrant };
  /** Who is signed in, for the metrics dashboard */
  getMetricsUser: { input: Record<never, never>; output: MetricsUser };
  /** Where the metrics dashboard is */
  getMetricsDashboard: { input: Record<never, never>; output: MetricsDashboard };
  /** The web application */
  getFrontEnd: { input: Record<never, never>; output: Blob };
}

/** Where each operation is found. */
export const ROUTES = {
  signIn: { method: 'POST', path: '/f/api/v1/token', body: 'application/x-www-form-urlencoded' },
  signOut: { method: 'POST', path: '/f/api/v1/logout' },
  introspectToken: { method: 'GET', path: '/f/api/v1/token/introspect' },
  listApiTokens: { method: 'GET', path: '/f/api/v1/api_token' },
  createApiToken: { method: 'POST', path: '/f/api/v1/api_token', body: 'application/json' },
  deleteApiToken: { method: 'DELETE', path: '/f/api/v1/api_token/{api_token_id}' },
  register: { method: 'POST', path: '/f/api/v1/register', body: 'application/json' },
  verifyEmail: { method: 'POST', path: '/f/api/v1/verify_email', body: 'application/json' },
  resetPassword: { method: 'POST', path: '/f/api/v1/password_reset', body: 'application/json' },
  getMe: { method: 'GET', path: '/f/api/v1/me' },
  updateMe: { method: 'PATCH', path: '/f/api/v1/me', body: 'application/json' },
  listTeams: { method: 'GET', path: '/f/api/v1/team' },
  getTeam: { method: 'GET', path: '/f/api/v1/team/{team_id}' },
  updateTeam: { method: 'PATCH', path: '/f/api/v1/team/{team_id}', body: 'application/json' },
  listTeamEvents: { method: 'GET', path: '/f/api/v1/team/{team_id}/event' },
  listMembers: { method: 'GET', path: '/f/api/v1/team/{team_id}/member' },
  getMember: { method: 'GET', path: '/f/api/v1/team/{team_id}/member/{team_member_id}' },
  removeMember: { method: 'DELETE', path: '/f/api/v1/team/{team_id}/member/{team_member_id}' },
  listAllTeams: { method: 'GET', path: '/f/api/v1/operator/team' },
  suspendTeam: { method: 'PATCH', path: '/f/api/v1/operator/team/{team_id}', body: 'application/json' },
  listInvites: { method: 'GET', path: '/f/api/v1/team/{team_id}/invite' },
  createInvite: { method: 'POST', path: '/f/api/v1/team/{team_id}/invite', body: 'application/json' },
  deleteInvite: { method: 'DELETE', path: '/f/api/v1/team/{team_id}/invite/{team_member_invite_id}' },
  getInvite: { method: 'GET', path: '/f/api/v1/invite/{invite_id}' },
  inspectInvite: { method: 'POST', path: '/f/api/v1/invite/inspect', body: 'application/json' },
  acceptInvite: { method: 'POST', path: '/f/api/v1/invite/accept', body: 'application/json' },
  listSites: { method: 'GET', path: '/f/api/v1/site' },
  createSite: { method: 'POST', path: '/f/api/v1/site', body: 'application/json' },
  getSite: { method: 'GET', path: '/f/api/v1/site/{fqdn}' },
  updateSite: { method: 'PATCH', path: '/f/api/v1/site/{fqdn}', body: 'application/json' },
  deleteSite: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}' },
  sleepSite: { method: 'POST', path: '/f/api/v1/site/{fqdn}/sleep' },
  listSiteEvents: { method: 'GET', path: '/f/api/v1/site/{fqdn}/event' },
  getSiteCdn: { method: 'GET', path: '/f/api/v1/site/{fqdn}/cdn' },
  getSiteUsage: { method: 'GET', path: '/f/api/v1/site/{fqdn}/usage' },
  createSiteLogin: { method: 'POST', path: '/f/api/v1/site/{fqdn}/login' },
  listExternalPaths: { method: 'GET', path: '/f/api/v1/site/{fqdn}/external_path' },
  createExternalPath: { method: 'POST', path: '/f/api/v1/site/{fqdn}/external_path', body: 'application/json' },
  getExternalPath: { method: 'GET', path: '/f/api/v1/site/{fqdn}/external_path/{external_path_id}' },
  updateExternalPath: { method: 'PUT', path: '/f/api/v1/site/{fqdn}/external_path/{external_path_id}', body: 'application/json' },
  deleteExternalPath: { method: 'DELETE', path: '/f/api/v1/site/{fqdn}/external_path/{external_path_id}' },
  verifyDomain: { method: 'GET', path: '/f/api/v1/verify_domain' },
  getDomainClaim: { method: 'GET', path: '/f/api/v1/domain_claim' },
  listGitAccounts: { method: 'GET', path: '/f/api/v1/git_account' },
  createGitAccount: { method: 'POST', path: '/f/api/v1/git_account', body: 'application/json' },
  deleteGitAccount: { method: 'DELETE', path: '/f/api/v1/git_account/{git_account_id}' },
  listGitSyncRepositories: { method: 'GET', path: '/f/api/v1/get_git_sync_repos' },
  verifyGitSyncDirectories: { method: 'GET', path: '/f/api/v1/verify_git_sync_directories' },
  getBackups: { method: 'GET', path: '/f/api/v1/site/{fqdn}/backup' },
  listPitFiles: { method: 'GET', path: '/f/api/v1/site/{fqdn}/pit_files' },
  createBlobUrls: { method: 'POST', path: '/f/api/v1/site/{fqdn}/blob_urls', body: 'application/json' },
  getBlob: { method: 'GET', path: '/f/api/v1/blob' },
  listPitRestores: { method: 'GET', path: '/f/api/v1/site/{fqdn}/pit_restore' },
  createPitRestore: { method: 'POST', path: '/f/api/v1/site/{fqdn}/pit_restore', body: 'application/json' },
  previewPitRestore: { method: 'POST', path: '/f/api/v1/site/{fqdn}/pit_restore/preview', body: 'application/json' },
  getPitRestore: { method: 'GET', path: '/f/api/v1/site/{fqdn}/pit_restore/{pit_restore_id}' },
  getPreview: { method: 'GET', path: '/f/api/v1/preview/{preview_id}' },
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
  listAllTickets: { method: 'GET', path: '/f/api/v1/operator/ticket' },
  getAnyTicket: { method: 'GET', path: '/f/api/v1/operator/ticket/{ticket_id}' },
  listAnyReplies: { method: 'GET', path: '/f/api/v1/operator/ticket/{ticket_id}/reply' },
  answerTicket: { method: 'POST', path: '/f/api/v1/operator/ticket/{ticket_id}/reply', body: 'application/json' },
  uploadAttachment: { method: 'POST', path: '/f/api/v1/support/attachment', body: 'application/octet-stream' },
  getAttachment: { method: 'GET', path: '/f/api/v1/support/attachment/{s3_object}' },
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
  setAdditionalSites: { method: 'PUT', path: '/f/api/v1/team/{team_id}/additional_sites', body: 'application/json' },
  receivePaymentEvent: { method: 'POST', path: '/f/api/v1/payment_webhook', body: 'application/octet-stream' },
  getTestCheckout: { method: 'GET', path: '/f/api/v1/test_checkout/{session_id}' },
  endTestCheckout: { method: 'POST', path: '/f/api/v1/test_checkout/{session_id}', body: 'application/json' },
  getTestPortal: { method: 'GET', path: '/f/api/v1/test_portal/{session_id}' },
  actInTestPortal: { method: 'POST', path: '/f/api/v1/test_portal/{session_id}', body: 'application/json' },
  getTeamUsage: { method: 'GET', path: '/f/api/v1/team/{team_id}/usage' },
  listRegions: { method: 'GET', path: '/f/api/v1/region' },
  getRegion: { method: 'GET', path: '/f/api/v1/region/{region_id}' },
  createRegion: { method: 'POST', path: '/f/api/v1/operator/region', body: 'application/json' },
  updateRegion: { method: 'PATCH', path: '/f/api/v1/operator/region/{region_id}', body: 'application/json' },
  deleteRegion: { method: 'DELETE', path: '/f/api/v1/operator/region/{region_id}' },
  listFailedJobs: { method: 'GET', path: '/f/api/v1/operator/job' },
  retryJob: { method: 'POST', path: '/f/api/v1/operator/job/{job_id}/retry' },
  authorizeMetrics: { method: 'GET', path: '/f/api/v1/metrics-auth' },
  exchangeMetricsCode: { method: 'POST', path: '/f/api/v1/metrics-token', body: 'application/x-www-form-urlencoded' },
  getMetricsUser: { method: 'GET', path: '/f/api/v1/metrics-api' },
  getMetricsDashboard: { method: 'GET', path: '/f/api/v1/operator/metrics' },
  getFrontEnd: { method: 'GET', path: '/f/api/v1/fastapi' },
} as const satisfies Record<keyof Operations, { method: string; path: string; body?: string }>;
