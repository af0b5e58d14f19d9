// graphql-transport-ws: what the `graphql-ws` client sees of a debate, before and after it was cut off; and the codes with
// which the protocol wants a socket closed.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const START = `mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { id } } }`;
const FOLLOW = `subscription ($id: ID!, $after: Int!) { debateEvents(debateId: $id, after: $after) { version kind } }`;

/** All that a subscription says, or as much of it as is wanted. */
async function heard(client, variables, most = Infinity) {
    const events = [];
    for await (const { data, errors } of client.iterate({ query: FOLLOW, variables })) {
        if (errors) throw new Error(JSON.stringify(errors));
        events.push(data.debateEvents);
        if (events.length >= most) break;
    }
    return events;
}

/** The code with which a socket is closed that says these things. */
function closed(url, words, protocol = 'graphql-transport-ws') {
    return new Promise((done) => {
        const socket = new WebSocket(url, protocol);
        const patience = setTimeout(() => { socket.terminate(); done('not closed'); }, 5_000);
        socket.on('open', () => words.forEach((it) => socket.send(it)));
        socket.on('error', () => {});
        socket.on('close', (code) => { clearTimeout(patience); done(code); });
    });
}

export async function checkSocket(address, note) {
    const url = `ws://${address}/graphql/ws`;
    const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
    const input = {
        topic: 'Should the city close its centre to private cars?', engine: 'graph', provider: 'offline', seed: 7,
        personaIds: ['edda-tolvane', 'gus-ormerand'], options: { rounds: 1, passages: 0 },
    };
    const ask = async (query, variables) => {
        for await (const result of client.iterate({ query, variables })) return result;
    };
    const started = await ask(START, { input });
    const id = started?.data?.startDebate?.debate?.id;
    note('a mutation', id ? null : JSON.stringify(started));
    const events = await heard(client, { id, after: 0 });
    const versions = events.map((it) => it.version);
    const inOrder = versions.length > 3 && versions.every((it, at) => it === at + 1);
    note('history, then live, to the end', inOrder ? null : JSON.stringify(versions));
    const first = await heard(client, { id, after: 0 }, 3);
    const again = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 0 });
    const rest = await heard(again, { id, after: first.at(-1).version });
    const same = JSON.stringify([...first, ...rest]) === JSON.stringify(events);
    note('nothing is missed or repeated after a cut', same ? null : JSON.stringify([first, rest]));
    const wrong = await ask('{ nowhere }').then(() => 'answered', (errors) => errors[0]?.extensions?.code);
    note('a query that is none', wrong === 'INVALID' ? null : JSON.stringify(wrong));
    await client.dispose();
    await again.dispose();

    const init = '{"type":"connection_init"}';
    const follow = JSON.stringify({ id: '1', type: 'subscribe', payload: { query: 'subscription { projectionProgress { name } }' } });
    for (const [name, words, code] of [
        ['no JSON', ['{'], 4400],
        ['an unknown message', ['{"type":"start"}'], 4400],
        ['a question before hello', [follow], 4401],
        ['two of one id', [init, follow, follow], 4409],
        ['hello twice', [init, init], 4429],
    ]) {
        const found = await closed(url, words);
        note(name, found === code ? null : `closed with ${found}, not ${code}`);
    }
    const other = await closed(url, [init], 'graphql-ws');
    note('another protocol', [4406, 1006].includes(other) ? null : `closed with ${other}`);
}
