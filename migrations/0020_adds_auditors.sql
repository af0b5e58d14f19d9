-- Measurements of auditors: models that read the calibration set, each once for a revision of the audit. They say nothing
-- about any debate.
create table auditors (
    provider text not null,
    model text not null,
    revision int not null,
    sentences int not null,
    read int not null,
    sides int not null,
    taken int not null,
    right_sides int not null,
    opposite int not null,
    measured_at timestamptz not null default now(),
    primary key (provider, model, revision)
);
