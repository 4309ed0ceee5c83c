-- What a name is right under: one certificate can be for all names of a domain.
create function domain_above(name text) returns text language sql immutable parallel safe as $$
  select substr(name, strpos(name, '.') + 1)
$$;
create index certificates_of_domain on certificates (domain_above(name));
