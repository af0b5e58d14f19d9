// graphql-codegen with default settings: types of the schema and of operations, and TypeScript that handles every kind of
// event by its type. A kind that is not handled is an error of the compiler.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as operations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';

const here = dirname(fileURLToPath(import.meta.url));
const FRAGMENT = 'fragment clientsContent on EventContent { __typename eventKind ... on TurnTaken { speaker text } }';

export async function checkCodegen(checkout, note) {
    const text = readFileSync(join(checkout, 'schema.graphql'), 'utf8');
    const schema = buildSchema(text);
    const documents = [readFileSync(join(here, 'operations.graphql'), 'utf8'), FRAGMENT];
    const types = await codegen({
        filename: 'types.ts', schema: parse(text), documents: documents.map((it) => ({ document: parse(it) })), config: {},
        plugins: [{ typescript: {} }, { 'typescript-operations': {} }],
        pluginMap: { typescript, 'typescript-operations': operations },
    });
    const kinds = schema.getPossibleTypes(schema.getType('EventContent')).map((it) => it.name);
    note('every kind of event has a type', kinds.length > 40 ? null : kinds.join());
    const compiled = (known) => compile(types, program(known));
    note('TypeScript with every kind', compiled(kinds));
    const lacking = compiled(kinds.slice(1));
    note('TypeScript without one', lacking?.includes(kinds[0]) ? null : `no error names ${kinds[0]}: ${lacking}`);
}

/** A program that handles events of these kinds, and no others. */
function program(kinds) {
    const cases = kinds.filter((it) => it !== 'TurnTaken').map((it) => `        case '${it}': return content.eventKind;`);
    return `import type { ClientsContentFragment } from './types';
export function told(content: ClientsContentFragment): string {
    switch (content.__typename) {
        case 'TurnTaken': return \`\${content.speaker}: \${content.text}\`;
${cases.join('\n')}
        default: { const never: never = content; return never; }
    }
}
`;
}

/** The errors of the compiler; null if there are none. */
function compile(types, text) {
    const folder = mkdtempSync(join(here, '.codegen-'));
    try {
        writeFileSync(join(folder, 'types.ts'), types);
        writeFileSync(join(folder, 'program.ts'), text);
        const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
        const words = [compiler, '--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', 'program.ts'];
        const ran = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
        return ran.status === 0 ? null : `${ran.stdout}${ran.stderr}`.slice(0, 2_000);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
