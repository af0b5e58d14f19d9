// The schema as clients meet it: equal to the committed file, valid, to the taste of linters, and no surprise to those who
// were there before.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
    buildClientSchema, buildSchema, extendSchema, getIntrospectionQuery, lexicographicSortSchema, parse, printSchema, validateSchema,
} from 'graphql';

import { broken, released } from './gate.mjs';
import { remarks, stale } from './lint.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const told = (problems) => (problems.length ? problems.slice(0, 20).join('\n  ') : null);
const sorted = (schema) => printSchema(lexicographicSortSchema(schema));

export async function checkSchema(address, note, checkout) {
    const query = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, schemaDescription: true });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    const live = buildClientSchema((await response.json()).data);
    note('it is valid', told(validateSchema(live).map((it) => it.message)));
    const text = sorted(live);
    const committed = buildSchema(readFileSync(join(checkout, 'schema.graphql'), 'utf8'));
    // The file has no description of the schema itself, which some parsers do not know.
    committed.description = live.description;
    note('it is described', live.description ? null : 'it says nothing of itself');
    note('it is the committed one', text === sorted(committed) ? null : 'they differ; cargo run -- schema > schema.graphql');

    const folder = mkdtempSync(join(here, '.schema-'));
    try {
        const file = join(folder, 'schema.graphql');
        writeFileSync(file, text);
        const linter = createRequire(import.meta.url).resolve('graphql-schema-linter');
        const cli = join(dirname(linter), 'cli.js');
        const ran = spawnSync(process.execPath, [cli, '--format', 'json', file], { encoding: 'utf8', cwd: folder });
        const found = JSON.parse(ran.stdout || '{"errors":[{"message":"it said nothing"}]}').errors;
        note('graphql-schema-linter', told(found.map((it) => `${it.rule}: ${it.message}`)));
        note('@graphql-eslint', told(await remarks(folder, 'schema.graphql', live)));
        note('exceptions of @graphql-eslint', told(stale(live)));
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
    checkPromise(live, note, checkout);
}

/** That what a release promised is kept; and that it would be seen if it were not. */
function checkPromise(live, note, checkout) {
    const before = extendSchema(live, parse('extend type Query { gone: Int going: Int @deprecated(reason: "Use `log`.") }'));
    const seen = [['', 2], ['- `Query.gone` and `Query.going` went.', 1]].map(([log, n]) => broken(before, live, log).length === n);
    note('a break would be seen', seen.every(Boolean) ? null : JSON.stringify(seen));
    const last = released(checkout);
    if (!last) {
        console.log('schema: the comparison with the last release is left out: there is none before this commit');
        return;
    }
    const changelog = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
    note(`no break since ${last.tag}`, told(broken(buildSchema(last.text), live, changelog)));
}
