-- Keys are kept as digests; who reads this table cannot call the interface.
create table keys (
    digest bytea primary key,
    shop bigint not null references shops (id),
    scopes text[] not null,
    revoked boolean not null default false,
    last_used_at timestamptz
);
