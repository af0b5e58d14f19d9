// Relay: its compiler over the committed schema, its runtime over what that wrote.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import runtime from 'relay-runtime';

const { Environment, Network, RecordSource, Store, createOperationDescriptor, fetchQuery, getRequest } = runtime;

export async function readWithRelay(address, operations, checkout) {
    // Outside of the checkout: the compiler adds what it writes to the index of git.
    const folder = mkdtempSync(join(tmpdir(), 'faultline-relay-'));
    try {
        compile(folder, operations[0].text, join(checkout, 'schema.graphql'));
        const environment = new Environment({ network: Network.create(fetching(address)), store: new Store(new RecordSource()) });
        const read = [];
        for (const { name, variables } of operations) {
            const path = pathToFileURL(join(folder, 'src/__generated__', `${name}.graphql.js`));
            const request = getRequest((await import(path)).default);
            environment.retain(createOperationDescriptor(request, variables));
            await fetchQuery(environment, request, variables).toPromise();
            read.push(createOperationDescriptor(request, variables).fragment);
        }
        return read.map((fragment) => environment.lookup(fragment).data);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Has the compiler write operations as modules. Fragments are read with the query, as by one component. */
export function compile(folder, text, schema) {
    mkdirSync(join(folder, 'src'));
    copyFileSync(schema, join(folder, 'schema.graphql'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const whole = text.replaceAll('...Version', '...Version @relay(mask: false)').replaceAll('Version', 'clients_version');
    const named = whole.replaceAll('clientsclients_versionsQuery', 'clientsVersionsQuery');
    const tags = named.split(/\n(?=query|fragment)/).map((it) => `graphql\`${it}\`;`);
    writeFileSync(join(folder, 'src/clients.js'), `import { graphql } from 'relay-runtime';\n${tags.join('\n')}\n`);
    const config = { src: './src', schema: './schema.graphql', language: 'javascript', eagerEsModules: true };
    writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
    const compiler = join(dirname(createRequire(import.meta.url).resolve('relay-compiler')), 'cli.js');
    const ran = spawnSync(process.execPath, [compiler, 'relay.config.json'], { cwd: folder, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(`relay-compiler: ${ran.stdout}${ran.stderr}`);
}

function fetching(address) {
    return async ({ text: query }, variables) => {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`http://${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
        return response.json();
    };
}
