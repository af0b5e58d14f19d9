// Whoever runs a debate from outside: appends events, and what was not answered again, under the same ids.
import { randomUUID } from 'node:crypto';

const START = `mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { version } } }`;
const APPEND = `mutation ($input: AppendEventsInput!) {
    appendEvents(input: $input) { version repeated }
}`;
const SPEAKERS = ['edda-tolvane', 'gus-ormerand'];

export const sleep = (millis) => new Promise((wake) => setTimeout(wake, millis));

/** Looks again and again until something is so. */
export async function until(what, look, seconds = 60) {
    for (const end = Date.now() + seconds * 1_000; !await look(); await sleep(20)) {
        if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    }
}

export class Writer {
    #server;
    #turns = 0;
    #stopped = false;
    id = randomUUID();
    /** The version that the debate has. */
    version = 0;
    /** How often something was sent again. */
    retries = 0;
    /** How often that had been recorded although nobody had said so. */
    repeated = 0;

    constructor(server) {
        this.#server = server;
    }

    async open() {
        const input = { id: this.id, engine: 'external', topic: 'Should the ferry run at night?', personaIds: SPEAKERS };
        input.limits = { turns: 10_000 };
        this.version = (await this.#ask(START, { input })).startDebate.debate.version;
    }

    /** Appends turns until it is stopped. */
    async goOn() {
        while (!this.#stopped) {
            const turn = () => {
                const n = ++this.#turns;
                const text = `Turn ${n}: ${'and so it was said. '.repeat(n % 20)}`;
                return this.#event('turn_taken', { turn: `t${n}`, speaker: SPEAKERS[n % 2], moves: ['claim'], text });
            };
            await this.append([turn(), turn()]);
            await sleep(20);
        }
    }

    stop() {
        this.#stopped = true;
    }

    async conclude() {
        const outcome = { kind: 'exhausted', reason: 'all has been said' };
        await this.append([this.#event('debate_concluded', { outcome })]);
    }

    async append(events) {
        for (;; this.retries++) {
            try {
                const input = { debateId: this.id, expectedVersion: this.version, events };
                const told = (await this.#ask(APPEND, { input })).appendEvents;
                this.version += events.length;
                this.repeated += Number(told.repeated);
                return;
            } catch (error) {
                if (error.refused) throw error;
            }
            await sleep(50);
        }
    }

    async #ask(query, variables) {
        const response = await fetch(`http://${this.#server.address}/graphql`, {
            method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query, variables }),
        });
        const { data, errors } = await response.json();
        if (!errors) return data;
        const codes = ['CONFLICT', 'INVALID', 'LIMIT', 'NOT_FOUND', 'FORBIDDEN'];
        throw Object.assign(new Error(JSON.stringify(errors)), { refused: codes.includes(errors[0].extensions.code) });
    }

    #event(kind, body) {
        return { id: randomUUID(), kind, body };
    }
}
