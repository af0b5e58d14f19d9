// The code of docs/frontend.md, as it stands there: each client follows a debate while the network is cut and the service is
// killed, and hears each event once and in order.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gql } from '@apollo/client/core/index.js';
import runtime from 'relay-runtime';
import WebSocket from 'ws';

import { compile } from './clients/relay.mjs';
import { Server } from './server.mjs';
import { Wire } from './wire.mjs';
import { Writer, sleep, until } from './writer.mjs';

// Older versions of node have no WebSocket of their own, as browsers do.
globalThis.WebSocket ??= WebSocket;

const here = dirname(fileURLToPath(import.meta.url));
const QUERY = `subscription frontendSubscription($id: ID!, $after: Int) {
    debateEvents(debateId: $id, after: $after) { version kind }
}`;

/** Writes the code of the page as modules, beside the packages that it imports. */
function unpacked(checkout, folder) {
    const page = readFileSync(join(checkout, 'docs/frontend.md'), 'utf8');
    const blocks = [...page.matchAll(/^```js (\S+)\n([\s\S]*?)^```/gm)];
    for (const [, name, code] of blocks) writeFileSync(join(folder, name), code);
    return (name) => import(pathToFileURL(join(folder, name)));
}

/** Starts to follow with each client; each tells versions to its list. */
async function followers(load, address, id, checkout, folder) {
    const heard = { Apollo: [], Relay: [], urql: [] };
    const faults = [];
    const variables = { id, after: 0 };
    const [{ apollo }, { relay }, { urql }] = await Promise.all(['apollo.mjs', 'relay.mjs', 'urql.mjs'].map(load));
    const add = (client) => ({ data, error }) => (error ? faults.push(`${client}: ${error}`) : heard[client].push(data.debateEvents.version));
    const failed = (client) => (error) => faults.push(`${client}: ${error}`);
    apollo(address).subscribe({ query: gql(QUERY), variables }).subscribe({ next: add('Apollo'), error: failed('Apollo') });
    compile(folder, QUERY, join(checkout, 'schema.graphql'));
    const compiled = await import(pathToFileURL(join(folder, 'src/__generated__/frontendSubscription.graphql.js')));
    const onNext = (data) => heard.Relay.push(data.debateEvents.version);
    runtime.requestSubscription(relay(address), { subscription: compiled.default, variables, onNext, onError: failed('Relay') });
    urql(address).subscription(QUERY, variables).subscribe((result) => result.hasNext !== false && add('urql')(result));
    return { heard, faults };
}

export async function checkFrontend(program, note, checkout) {
    const folder = mkdtempSync(join(here, '.recipes-'));
    const server = new Server(program, checkout, { FAULTLINE_DRAIN_SECONDS: '0' });
    const wire = new Wire();
    try {
        await server.start();
        await wire.open(server.address);
        const writer = new Writer(server);
        await writer.open();
        const writing = writer.goOn();
        const { heard, faults } = await followers(unpacked(checkout, folder), wire.address, writer.id, checkout, folder);
        const goOn = (after) => {
            const head = writer.version + 10;
            const all = () => Object.values(heard).every((it) => it.at(-1) >= head);
            return until(`all go on after ${after}`, all, 90).catch((error) => {
                throw new Error(`${error.message}: ${JSON.stringify(Object.entries(heard).map(([name, it]) => [name, it.at(-1)]))} ${faults}`);
            });
        };
        await goOn('the beginning');
        wire.cut();
        await sleep(1_000);
        wire.mend();
        await goOn('a cut');
        await server.end('SIGKILL');
        await server.start();
        wire.target = server.address;
        await goOn('a kill');
        writer.stop();
        await writing;
        await writer.conclude();
        await until('all have heard the end', () => Object.values(heard).every((it) => it.at(-1) === writer.version));
        for (const [client, versions] of Object.entries(heard)) {
            const isWhole = versions.length === writer.version && versions.every((it, at) => it === at + 1);
            note(`${client} hears each event once`, isWhole ? null : `of ${writer.version}: ${versions.slice(0, 200)}`);
        }
        note('no client reports a fault', faults.length ? faults.join('; ') : null);
    } finally {
        wire.close();
        await server.close();
        rmSync(folder, { recursive: true, force: true });
    }
}
