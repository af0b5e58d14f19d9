// The schema as clients meet it: equal to the committed file, valid, and to the taste of a linter.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema, validateSchema } from 'graphql';

const here = dirname(fileURLToPath(import.meta.url));

export async function checkSchema(address, note, checkout) {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const live = buildClientSchema((await response.json()).data);
    const told = (problems) => (problems.length ? problems.slice(0, 20).join('\n  ') : null);
    note('it is valid', told(validateSchema(live).map((it) => it.message)));
    const text = printSchema(lexicographicSortSchema(live));
    const committed = printSchema(lexicographicSortSchema(buildSchema(readFileSync(join(checkout, 'schema.graphql'), 'utf8'))));
    note('it is the committed one', text === committed ? null : 'they differ; cargo run -- schema > schema.graphql');

    const folder = mkdtempSync(join(here, '.schema-'));
    try {
        const file = join(folder, 'schema.graphql');
        writeFileSync(file, text);
        const linter = createRequire(import.meta.url).resolve('graphql-schema-linter');
        const cli = join(dirname(linter), 'cli.js');
        const ran = spawnSync(process.execPath, [cli, '--format', 'json', file], { encoding: 'utf8', cwd: folder });
        const found = JSON.parse(ran.stdout || '{"errors":[{"message":"it said nothing"}]}').errors;
        note('graphql-schema-linter', told(found.map((it) => `${it.rule}: ${it.message}`)));
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
