// Client libraries with their default settings: four debates listed with their arguments and turns, and one debate at two
// versions, each in one cache. What a client reads from its cache afterwards is what the service said.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { ask, openDebates } from './clients/debates.mjs';
import { readWithApollo } from './clients/apollo.mjs';
import { checkCodegen } from './clients/codegen.mjs';
import { readWithPython } from './clients/python.mjs';
import { readWithRelay } from './clients/relay.mjs';
import { readWithUrql } from './clients/urql.mjs';

const here = dirname(fileURLToPath(import.meta.url));

export async function checkClients(address, note, checkout) {
    const debates = await openDebates(address);
    const text = readFileSync(join(here, 'clients/operations.graphql'), 'utf8');
    const operations = [
        { name: 'clientsFourQuery', variables: {} },
        { name: 'clientsVersionsQuery', variables: { id: debates[0].id, at: debates[0].before } },
    ].map((it) => ({ ...it, text }));
    const said = [];
    for (const { name, variables } of operations) said.push(await ask(address, text, variables, name));
    note('the debates differ', differ(said) ? null : JSON.stringify(said).slice(0, 400));

    const readers = { 'Apollo Client': readWithApollo, Relay: readWithRelay, 'urql with graphcache': readWithUrql };
    for (const [client, read] of Object.entries(readers)) {
        const { result: found, warnings } = await listening(() => read(address, operations, checkout));
        operations.forEach(({ name }, n) => {
            const [is, should] = [plain(found[n]), plain(said[n])];
            note(`${client} reads ${name} from its cache`, isDeepStrictEqual(is, should) ? null : difference(is, should));
        });
        // urql remarks on values, which have no id, unless it is told that they have no key. It keeps them where they are.
        const real = warnings.filter((it) => !it.startsWith('Invalid key:'));
        note(`${client} warns of nothing`, real.length ? real.slice(0, 5).join('\n  ') : null);
    }
    await readWithPython(address, operations, said.map(plain), note);
    await checkCodegen(checkout, note);
}

/** Whether the four debates have arguments of their own, and the two versions differ. */
function differ([four, { before, now }]) {
    const claims = new Set(four.debates.nodes.map((debate) => debate.arguments[0].claim));
    return claims.size === 4 && before.arguments.length < now.arguments.length && before.id !== now.id;
}

/** The same without what clients add. */
function plain(data) {
    const added = (key) => key === '__typename' || key === '__id' || key === '__fragments';
    return JSON.parse(JSON.stringify(data, (key, value) => (added(key) ? undefined : value)) ?? 'null');
}

/** The first place where two values differ. */
function difference(is, should, path = '') {
    if (is === null || should === null || typeof is !== 'object' || typeof should !== 'object') {
        return `${path || 'it'} is ${JSON.stringify(is)}, not ${JSON.stringify(should)}`;
    }
    const key = [...new Set([...Object.keys(is), ...Object.keys(should)])].find((it) => !isDeepStrictEqual(is[it], should[it]));
    return difference(is[key], should[key], `${path}.${key}`);
}

/** What something gives, and what was warned of meanwhile. */
async function listening(act) {
    const warnings = [];
    const kept = { warn: console.warn, error: console.error };
    console.warn = console.error = (...words) => warnings.push(words.map(String).join(' ').slice(0, 300));
    try {
        return { result: await act(), warnings };
    } finally {
        Object.assign(console, kept);
    }
}
