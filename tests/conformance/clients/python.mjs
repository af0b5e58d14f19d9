// Python's `gql`: over HTTP, and over a WebSocket with the transport that it offers first. It comes from Python, into the
// `.venv` of the queries that are drawn (fuzz.mjs).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));

export async function readWithPython(address, operations, said, note) {
    const folder = join(here, '../.venv/bin');
    if (!existsSync(join(folder, 'gql-cli'))) {
        console.log('clients: gql is left out: it is not installed in tests/conformance/.venv');
        return;
    }
    const child = spawn(join(folder, 'python'), [join(here, 'read.py'), address], { stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece) => { text += piece; });
    child.stdin.end(JSON.stringify(operations));
    const code = await new Promise((done) => child.once('close', done));
    const found = code === 0 ? JSON.parse(text) : {};
    for (const transport of ['http', 'websocket']) {
        note(`gql reads over ${transport}`, isDeepStrictEqual(found[transport], said) ? null : `ended with ${code}: ${text.slice(0, 500)}`);
    }
    const versions = [...said[1].now.turns.nodes.keys()].length;
    note('gql subscribes', found.events?.length > versions ? null : JSON.stringify(found.events));
}
