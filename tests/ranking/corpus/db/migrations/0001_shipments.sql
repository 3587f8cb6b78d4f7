create table migrations (name text primary key, ran_at timestamptz not null default now());

create table shops (
    id bigint primary key,
    name text not null,
    country char(2) not null
);

create table shipments (
    id bigint primary key,
    shop bigint not null references shops (id),
    state text not null,
    body jsonb not null,
    idempotency_key text,
    delivered_at timestamptz,
    anonymous boolean not null default false,
    created_at timestamptz not null default now()
);

create index shipments_by_time on shipments (shop, created_at desc, id desc);
create unique index shipments_idempotency on shipments (shop, idempotency_key);
