insert into shops values (1, 'Corner Books', 'DE'), (2, 'Velo Lyon', 'FR');
insert into keys (digest, shop, scopes) values ('\x00', 1, '{read,buy}');
insert into shipments (id, shop, state, body) values (10, 1, 'draft', '{}'), (11, 2, 'delivered', '{}');
