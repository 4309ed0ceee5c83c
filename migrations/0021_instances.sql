alter table sites add column host text not null default 'local', add column driver text not null default 'php-wasm';
