// What others wrote to judge GraphQL services or to talk to them, held against ours: starts servers of its own, prints what
// failed and a closing line `N passed, N failed`, and ends non-zero where something failed.
//
//     npm ci && node run.mjs [path of the program]
//
// FAULTLINE_SLOW=1 cuts the network for 30 s instead of 3 s.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { checkBrowser } from './browser.mjs';
import { checkClients } from './clients.mjs';
import { checkFrontend } from './frontend.mjs';
import { checkFuzz } from './fuzz.mjs';
import { checkHttp } from './http.mjs';
import { checkReconnect } from './reconnect.mjs';
import { checkSchema } from './schema.mjs';
import { Server } from './server.mjs';
import { checkSocket } from './socket.mjs';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const program = resolve(process.argv[2] ?? join(checkout, 'target/debug/faultline'));

const tally = { passed: 0, failed: 0 };
/** Notes one result; told only where it failed. */
function note(part, name, problem) {
    problem ? tally.failed++ : tally.passed++;
    if (problem) console.log(`FAIL ${part}: ${name}: ${problem}`);
}

/** Does one part, and tells what became of it. */
async function part(name, check) {
    const [before, began] = [{ ...tally }, Date.now()];
    await check((what, problem) => note(name, what, problem));
    const [passed, failed] = [tally.passed - before.passed, tally.failed - before.failed];
    console.log(`${name}: ${passed} passed, ${failed} failed, ${Date.now() - began} ms`);
}

/** Does what needs nothing but an address, all of it with one server. */
async function askOneServer() {
    const server = new Server(program, checkout, { FAULTLINE_LIMITS: 'batch=10, rate_address=0' });
    try {
        await server.start();
        for (const [name, check] of [['http', checkHttp], ['schema', checkSchema], ['socket', checkSocket],
            ['clients', checkClients], ['fuzz', checkFuzz]]) {
            await part(name, (note) => check(server.address, note, checkout));
        }
    } finally {
        await server.close();
    }
}

try {
    await askOneServer();
    // These start, stop and kill servers of their own.
    await part('reconnect', (note) => checkReconnect(program, note, checkout));
    await part('frontend', (note) => checkFrontend(program, note, checkout));
    await part('browser', (note) => checkBrowser(program, note, checkout));
} catch (error) {
    note('run', 'a check broke off', error.stack);
}
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(tally.failed ? 1 : 0);
