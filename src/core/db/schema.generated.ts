// Made from the migrations by npm run gen.
import type { Generated } from 'kysely';

export interface DB {
  attachments: {
    id: Generated<string>;
    user_id: string;
    ticket_id: Generated<string | null>;
    name: string;
    content_type: string;
    size_bytes: number;
    content: Buffer;
    created_at: Generated<Date>;
  };
  credentials: {
    id: Generated<string>;
    token_hash: Buffer;
    kind: string;
    user_id: string;
    team_id: Generated<string | null>;
    name: Generated<string | null>;
    scopes: string[];
    expires_at: Generated<Date | null>;
    last_used_at: Generated<Date | null>;
    created_at: Generated<Date>;
  };
  events: {
    id: Generated<string>;
    seq: Generated<number>;
    xid: string;
    position: number;
    team_id: Generated<string | null>;
    user_id: Generated<string | null>;
    site_live_id: Generated<string | null>;
    fqdn: Generated<string | null>;
    scope: string;
    event_type: string;
    activity: string;
    description: Generated<string | null>;
    detail: Generated<unknown>;
    item_id: Generated<string | null>;
    created_at: Generated<Date>;
    finished_at: Generated<Date | null>;
  };
  failed_jobs: {
    id: string;
    queue: string;
    key: Generated<string | null>;
    kind: string;
    payload: unknown;
    error: Generated<string | null>;
    created_at: Generated<Date>;
  };
  idempotent_answers: {
    caller: string;
    key: string;
    request_hash: Buffer;
    status: number;
    headers: unknown;
    body_sealed: Buffer;
    created_at: Generated<Date>;
  };
  mailed_links: {
    id: Generated<string>;
    user_id: string;
    purpose: string;
    expires_at: Date;
    used_at: Generated<Date | null>;
    created_at: Generated<Date>;
  };
  platform: {
    id: Generated<boolean>;
    key_check: string;
  };
  regions: {
    id: Generated<number>;
    name: string;
    city: string;
    country: string;
    country_code: string;
    cname: string;
    ip: string;
    name_servers: Generated<string[]>;
    created_at: Generated<Date>;
  };
  sites: {
    id: Generated<string>;
    team_id: string;
    fqdn: string;
    created_at: Generated<Date>;
  };
  team_invites: {
    id: Generated<string>;
    team_id: string;
    created_by: Generated<string | null>;
    target_email: string;
    first_name: Generated<string | null>;
    message: Generated<string | null>;
    role: string;
    expiry: Date;
    accepted_at: Generated<Date | null>;
    created_at: Generated<Date>;
  };
  team_members: {
    id: Generated<string>;
    team_id: string;
    user_id: string;
    role: string;
    joined_at: Generated<Date>;
  };
  teams: {
    id: Generated<string>;
    user_id: string;
    name: string;
    tenant_id: string;
    timezone: Generated<string>;
    plan_type_name: Generated<string>;
    is_default: Generated<boolean>;
    is_active: Generated<boolean>;
    is_expired: Generated<boolean>;
    metrics_org_id: Generated<number>;
    additional_sites: Generated<number | null>;
    analytics_team_id: Generated<string | null>;
    sub_id: Generated<string | null>;
    interval: Generated<string | null>;
    currency: Generated<string | null>;
    cancel_at: Generated<Date | null>;
    cancel_at_period_end: Generated<boolean>;
    trial_ends_on: Generated<Date | null>;
    cycle_start: Date;
    cycle_end: Date;
    current_cycle_visits: Generated<number>;
    current_cycle_bandwidth: Generated<number>;
    storage_usage: Generated<number>;
    created_at: Generated<Date>;
  };
  ticket_replies: {
    id: Generated<string>;
    ticket_id: string;
    user_id: string;
    description: Generated<string | null>;
    is_assistant_chat_message: Generated<boolean>;
    assistant_message_id: Generated<string | null>;
    resolve: Generated<boolean | null>;
    created_at: Generated<Date>;
  };
  tickets: {
    id: Generated<string>;
    team_id: string;
    user_id: string;
    site_live_id: Generated<string | null>;
    subject: string;
    description: string;
    category: Generated<string | null>;
    is_assistant_thread: Generated<boolean>;
    messages_remaining: number;
    assistant_custom_instructions: Generated<string | null>;
    resolved: Generated<boolean>;
    resolved_at: Generated<Date | null>;
    created_at: Generated<Date>;
  };
  users: {
    id: Generated<string>;
    email: string;
    password_hash: string;
    first_name: string;
    last_name: string;
    is_active: Generated<boolean>;
    is_superuser: Generated<boolean>;
    is_verified: Generated<boolean>;
    is_payment_verified: Generated<boolean>;
    analytics_user_id: Generated<string | null>;
    events_read_to: Generated<number>;
    created_at: Generated<Date>;
  };
}
