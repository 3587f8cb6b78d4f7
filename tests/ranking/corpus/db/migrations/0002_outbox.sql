create table outbox (
    id bigserial primary key,
    topic text not null,
    subject bigint not null,
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    claimed_until timestamptz,
    delivered_at timestamptz
);

create index outbox_due on outbox (due_at) where delivered_at is null;

create table jobs (
    id bigserial primary key,
    name text not null,
    arguments jsonb not null,
    attempts integer not null default 0,
    due_at timestamptz not null,
    leased_until timestamptz,
    unique_key text,
    done_at timestamptz,
    buried text
);

create unique index jobs_unique on jobs (unique_key) where done_at is null;
