// Queries and mutations that schemathesis draws from the schema, some two thousand where nobody else works: each is answered,
// and nothing fails.
// It comes from Python, into `.venv` beside this file:
//
//     python3 -m venv .venv && .venv/bin/pip install -r fuzz/requirements.txt
//
// Debates are ended and erased by it, so it comes last.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
/** Cases drawn of each field, well-formed and not; within so many seconds. Fewer than the least say that something is amiss. */
const [EXAMPLES, SECONDS, LEAST] = [40, 90, 500];
const CHECKS = [
    'not_a_server_error', 'content_type_conformance', 'status_code_conformance', 'refusals_have_codes_and_nothing_fails',
];

export async function checkFuzz(address, note) {
    const program = join(here, '.venv/bin/st');
    if (!existsSync(program)) {
        console.log('fuzz: left out: schemathesis is not installed in tests/conformance/.venv');
        return;
    }
    const url = `http://${address}/graphql`;
    const words = [
        'run', url, '--phases', 'fuzzing', '--max-examples', EXAMPLES, '--max-time', SECONDS, '--seed', 1, '--checks', CHECKS,
    ];
    const own = {
        FAULTLINE_FUZZ: (await names(url)).join(' '), SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: join(here, 'fuzz'),
        PYTHONDONTWRITEBYTECODE: '1', NO_COLOR: '1',
    };
    const child = spawn(program, words.map(String), { cwd: join(here, '.venv'), env: { ...process.env, ...own } });
    let said = '';
    for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (piece) => { said += piece; });
    const code = await new Promise((done) => child.once('close', done));
    note('schemathesis', code === 0 ? null : `it ended with ${code}:\n${said.slice(-4_000)}`);
    const n = Number(/(\d+) generated/.exec(said)?.[1] ?? 0);
    note('schemathesis asked enough', n >= LEAST ? null : `${n} cases, not ${LEAST}`);
    console.log(`fuzz: ${n} cases`);
}

/** Names of things that are there. */
async function names(url) {
    const query = '{ debates { nodes { id arguments { id } participants { id } } } cruxes(first: 2) { nodes { id } } personas { id } }';
    const headers = { 'content-type': 'application/json' };
    const { data } = await (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
    const inside = data.debates.nodes.flatMap((it) => [...it.arguments.slice(0, 1), ...it.participants.slice(0, 1)]);
    return [...data.debates.nodes, ...inside, ...data.cruxes.nodes, ...data.personas.slice(0, 1)].map((it) => it.id);
}
