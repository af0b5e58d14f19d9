// What others wrote to judge GraphQL services, held against ours: starts a server of its own, prints what failed and a
// closing line `N passed, N failed`, and ends non-zero where something failed.
//
//     npm ci && node run.mjs [path of the program]
//
// The server has a private database in a folder of its own; what was fetched for the checkout before is used again.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { checkHttp } from './http.mjs';
import { checkSchema } from './schema.mjs';
import { checkSocket } from './socket.mjs';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const program = resolve(process.argv[2] ?? join(checkout, 'target/debug/faultline'));

/** Starts the program, and waits until it says where it serves. */
async function serve() {
    const home = mkdtempSync(join(tmpdir(), 'faultline-conformance-'));
    // The private database may run as another user, who has to come in.
    chmodSync(home, 0o755);
    const cache = join(checkout, '.faultline/cache');
    if (existsSync(cache)) symlinkSync(cache, join(home, 'cache'));
    mkdirSync(join(home, 'corpus'));
    const { DATABASE_URL: _, ...environment } = process.env;
    const own = { FAULTLINE_HOME: home, FAULTLINE_EMBEDDER: 'hashing', FAULTLINE_LIMITS: 'batch=10' };
    const child = spawn(program, ['serve', '--listen', '127.0.0.1:0'], {
        cwd: checkout, env: { ...environment, ...own }, stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((done) => child.once('exit', done));
    const close = async () => {
        child.kill('SIGTERM');
        await ended;
        rmSync(home, { recursive: true, force: true });
    };
    const lines = createInterface({ input: child.stdout });
    const address = await new Promise((found, failed) => {
        lines.on('line', (line) => {
            const told = /^serving on http:\/\/(\S+)/.exec(line);
            if (told) found(told[1]);
        });
        ended.then((code) => failed(new Error(`the server ended with ${code} before it served`)));
    });
    return { address, close };
}

const tally = { passed: 0, failed: 0 };
/** Notes one result; told only where it failed. */
function note(part, name, problem) {
    problem ? tally.failed++ : tally.passed++;
    if (problem) console.log(`FAIL ${part}: ${name}: ${problem}`);
}

const server = await serve();
try {
    for (const [part, check] of [['http', checkHttp], ['schema', checkSchema], ['socket', checkSocket]]) {
        const [before, began] = [{ ...tally }, Date.now()];
        await check(server.address, (name, problem) => note(part, name, problem), checkout);
        const [passed, failed] = [tally.passed - before.passed, tally.failed - before.failed];
        console.log(`${part}: ${passed} passed, ${failed} failed, ${Date.now() - began} ms`);
    }
} catch (error) {
    note('run', 'a check broke off', error.stack);
} finally {
    await server.close();
}
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed ? 1 : 0);
