-- A team that its owner deleted: nobody is in it any more. Its row stays for what was paid, and for the days in which an operator can bring its
-- sites back.
alter table teams add column deleted_at timestamptz(3);
