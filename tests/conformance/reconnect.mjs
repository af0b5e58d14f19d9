// A debate is followed through a network that is cut, a server that is told to stop, and one that is killed: by the
// `graphql-ws` client, by GraphQL over SSE and by a debate's plain events. Each has every event once, by its own cursor.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

import { Server } from './server.mjs';
import { Wire } from './wire.mjs';
import { Writer, sleep, until } from './writer.mjs';

const FOLLOW = `subscription ($id: ID!, $after: Int!) { debateEvents(debateId: $id, after: $after) { version kind } }`;
/** For how long the network is away, in seconds. */
const CUT = process.env.FAULTLINE_SLOW === '1' ? 30 : 3;

/** One who follows, and what it has heard. */
class Follower {
    heard = [];
    connections = 0;
    /** Why it gave up. */
    fault = null;
    over = false;

    constructor(name, follow) {
        this.name = name;
        follow(this).then(() => { this.over = true; }, (fault) => { this.fault = fault; });
    }

    /** The version of the last event that it has. */
    get cursor() {
        return this.heard.at(-1) ?? 0;
    }
}

/** By the client that most use. It comes back by itself. */
const bySocket = (address, id) => async (follower) => {
    let pulse;
    const client = createClient({
        url: `ws://${address}/graphql/ws`, webSocketImpl: WebSocket,
        retryAttempts: Infinity, shouldRetry: () => true, retryWait: () => sleep(100),
        // A line that is dead says nothing: who hears no pong hangs up, and dials again.
        keepAlive: 1_000,
        on: {
            connected: () => { follower.connections++; },
            ping: (received) => { if (!received) pulse = setTimeout(() => client.terminate(), 5_000); },
            pong: (received) => { if (received) clearTimeout(pulse); },
            closed: () => clearTimeout(pulse),
        },
    });
    // Written anew for each connection: so the client's own attempts go on behind what was heard.
    const variables = { id, get after() { return follower.cursor; } };
    const next = ({ data, errors }) => {
        if (errors) throw new Error(JSON.stringify(errors));
        follower.heard.push(data.debateEvents.version);
    };
    const once = () => new Promise((complete, error) => client.subscribe({ query: FOLLOW, variables }, { next, error, complete }));
    for (let isOver = false; !isOver;) {
        isOver = await once().then(() => true, (errors) => {
            // Said to one who was too slow: the client takes it for the end of the subscription.
            if (errors[0]?.extensions?.code !== 'LAGGED') throw errors;
            return false;
        });
    }
    await client.dispose();
};

/** The events of a response, each once it is whole. */
async function* events(response) {
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
            const lines = text.slice(0, end).split('\n');
            const field = (name) => lines.find((it) => it.startsWith(`${name}: `))?.slice(name.length + 2);
            if (field('event')) yield { event: field('event'), id: field('id'), data: field('data') };
        }
    }
}

/** Asks again and again, each time behind what was heard, until `hear` says that this was all. */
async function comeBack(follower, ask, hear) {
    for (; ; await sleep(100)) {
        const last = follower.cursor ? { 'last-event-id': String(follower.cursor) } : {};
        try {
            const response = await ask({ accept: 'text/event-stream', ...last });
            if (response.status >= 400 && response.status < 500) throw Object.assign(new Error(await response.text()), { final: true });
            if (response.status === 204) return;
            if (response.status !== 200) continue;
            follower.connections++;
            for await (const event of events(response)) if (hear(event)) return;
        } catch (fault) {
            // What the network does to a response is no fault of its own kind.
            if (fault.final) throw fault;
        }
    }
}

/** By GraphQL over Server-Sent Events. */
const byStream = (address, id) => (follower) => {
    const body = JSON.stringify({ query: FOLLOW, variables: { id, after: 0 } });
    const ask = (headers) =>
        fetch(`http://${address}/graphql/stream`, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body });
    return comeBack(follower, ask, ({ event, id, data }) => {
        if (event === 'complete') return true;
        const { data: told, errors } = JSON.parse(data);
        if (errors) throw Object.assign(new Error(data), { final: true });
        if (told.debateEvents.version !== Number(id)) throw Object.assign(new Error(`id ${id}: ${data}`), { final: true });
        follower.heard.push(Number(id));
        return false;
    });
};

/** As a browser's `EventSource` does it, until it is told that nothing more will come. */
const byEvents = (address, id) => (follower) =>
    comeBack(follower, (headers) => fetch(`http://${address}/debates/${id}/events`, { headers }), ({ id }) => {
        follower.heard.push(Number(id));
        return false;
    });

export async function checkReconnect(program, note, checkout) {
    const [server, wire] = [new Server(program, checkout), new Wire()];
    try {
        await server.start();
        await wire.open(server.address);
        const writer = new Writer(server);
        await writer.open();
        // Two of each: when the network is cut, one line breaks and one falls silent.
        const ways = { 'graphql-ws': bySocket, 'GraphQL over SSE': byStream, 'plain events': byEvents };
        const followers = Object.entries(ways)
            .flatMap(([name, by]) => [1, 2].map((n) => new Follower(`${name} ${n}`, by(wire.address, writer.id))));
        const told = () => followers.map((it) => `${it.name} at ${it.cursor}${it.fault ? ` (${it.fault})` : ''}`).join(', ');
        const caughtUp = async (after) => {
            const head = writer.version;
            await until(`all are at ${head} after ${after}`, () => followers.every((it) => it.fault || it.cursor >= head), 120)
                .catch((fault) => { throw new Error(`${fault.message}: ${told()}`); });
            note(`goes on after ${after}`, followers.some((it) => it.fault) ? told() : null);
        };
        const writing = writer.goOn();
        await until('some is written', () => writer.version > 50);
        await caughtUp('the beginning');

        wire.cut();
        await sleep(CUT * 1_000);
        wire.mend();
        await caughtUp(`a cut of ${CUT} s`);
        for (const [signal, after] of [['SIGTERM', 'a stop'], ['SIGKILL', 'a kill']]) {
            await server.end(signal);
            await server.start();
            wire.target = server.address;
            const before = writer.version;
            await until('some more is written', () => writer.version > before + 50);
            await caughtUp(after);
        }
        writer.stop();
        await writing;
        await writer.conclude();
        await until(`all end at ${writer.version}`, () => followers.every((it) => it.fault || it.over))
            .catch((fault) => { throw new Error(`${fault.message}: ${told()}`); });
        for (const { name, heard, fault, connections } of followers) {
            const whole = heard.length === writer.version && heard.every((it, at) => it === at + 1);
            const wrong = heard.findIndex((it, at) => it !== at + 1);
            note(`${name}: every event once`, fault || (whole ? null : `of ${writer.version}, from ${wrong}: ${heard.slice(wrong, wrong + 20)}`));
            note(`${name}: came back`, connections >= 4 ? null : `${connections} connections`);
        }
        const connections = followers.reduce((sum, it) => sum + it.connections, 0);
        console.log(`reconnect: the network away for ${CUT} s, a stop, a kill: ${writer.version} events to each of `
            + `${followers.length} over ${connections} connections; ${writer.retries} appends sent again, ${writer.repeated} of them recorded before`);
    } finally {
        wire.close();
        await server.close();
    }
}
