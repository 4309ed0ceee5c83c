-- What is updated by itself in the sites of a team: nothing, WordPress' own security releases and the plugins that the team names, or everything.
alter table teams add column update_policy text not null default 'security' check (update_policy in ('off', 'security', 'all')),
  add column update_plugins text[] not null default '{}';
