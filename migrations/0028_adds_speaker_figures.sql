-- Figures of the participants as numbers of one array: with them in JSON, statistics by persona took half as long again.

alter table debates
    -- Figures of each participant in the order of `participants`, one behind the other, each in the order of
    -- `SPEAKER_FIGURES`. Null in rows of earlier versions of the program, until they are rebuilt. `speakers`, which it
    -- replaces, is written by these only.
    add column speaker_figures float8[];
