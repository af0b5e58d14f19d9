-- Time for which a generation is to wait for approval once it is built, in seconds; null for the default of its builder.

alter table generations
    add column hold_seconds integer;
