// A real browser follows a debate, by `EventSource` and by WebSocket, keeps its cursors where a page keeps things, is reloaded
// in the middle, cut off, and comes back to a server that was started anew: each event is heard once.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';

import { Server } from './server.mjs';
import { Wire } from './wire.mjs';
import { Writer, sleep, until } from './writer.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** What runs in the page. It is told where the service is and which debate to follow in its own address. */
function page() {
    const asked = new URLSearchParams(location.search);
    const [service, id] = [asked.get('service'), asked.get('debate')];
    const kinds = ['debate_opened', 'turn_taken', 'debate_concluded'];
    const kept = (store, name) => JSON.parse(store.getItem(name) ?? '[]');
    const keep = (store, name, version) => store.setItem(name, JSON.stringify([...kept(store, name), version]));
    const cursor = (store, name) => kept(store, name).at(-1) ?? 0;
    const over = { events: false, socket: false };
    sessionStorage.loads = Number(sessionStorage.loads ?? 0) + 1;

    function byEvents() {
        const source = new EventSource(`http://${service}/debates/${id}/events?after=${cursor(sessionStorage, 'events')}`);
        for (const kind of kinds) {
            source.addEventListener(kind, (event) => {
                keep(sessionStorage, 'events', Number(event.lastEventId));
                over.events ||= kind === 'debate_concluded';
            });
        }
        // The browser comes back by itself where a connection breaks; it gives up on any status but 200.
        source.onerror = () => {
            if (source.readyState === EventSource.CLOSED && !over.events) setTimeout(byEvents, 300);
        };
    }

    function bySocket() {
        const socket = new WebSocket(`ws://${service}/graphql/ws`, 'graphql-transport-ws');
        const say = (message) => socket.send(JSON.stringify(message));
        const query = 'subscription ($id: ID!, $after: Int) { debateEvents(debateId: $id, after: $after) { version } }';
        socket.onopen = () => say({ type: 'connection_init' });
        socket.onmessage = ({ data }) => {
            const { type, payload } = JSON.parse(data);
            const variables = { id, after: cursor(localStorage, 'socket') };
            if (type === 'connection_ack') say({ id: '1', type: 'subscribe', payload: { query, variables } });
            if (type === 'next') keep(localStorage, 'socket', payload.data.debateEvents.version);
            if (type === 'complete') over.socket = true;
        };
        socket.onclose = () => { if (!over.socket) setTimeout(bySocket, 300); };
    }

    const report = () => ({
        events: kept(sessionStorage, 'events'), socket: kept(localStorage, 'socket'), loads: Number(sessionStorage.loads), over,
    });
    Object.assign(window, { report });
    byEvents();
    bySocket();
}

/** One tab of a browser, driven over the DevTools protocol. */
class Tab {
    #child;
    #profile = mkdtempSync(join(tmpdir(), 'faultline-browser-'));
    #line;
    #session;
    #asked = new Map();

    async open(program, url) {
        const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
            '--remote-debugging-port=0', `--user-data-dir=${this.#profile}`, 'about:blank'];
        this.#child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
        const lines = createInterface({ input: this.#child.stderr });
        const where = await new Promise((found, failed) => {
            lines.on('line', (line) => { if (line.startsWith('DevTools listening on ')) found(line.split(' ').at(-1)); });
            this.#child.once('error', failed);
            this.#child.once('exit', (code) => failed(new Error(`the browser ended with ${code}`)));
        });
        this.#line = new WebSocket(where, { perMessageDeflate: false });
        await new Promise((done, failed) => this.#line.once('open', done).once('error', failed));
        this.#line.on('message', (text) => {
            const { id, result, error } = JSON.parse(text);
            const { done, failed } = this.#asked.get(id) ?? {};
            this.#asked.delete(id);
            error ? failed?.(new Error(error.message)) : done?.(result);
        });
        const { targetId } = await this.#ask('Target.createTarget', { url });
        this.#session = (await this.#ask('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    }

    reload() {
        return this.#ask('Page.reload', {});
    }

    /** What the page says of itself; nothing while it is being loaded. */
    async report() {
        const asked = { expression: 'window.report?.()', returnByValue: true };
        return (await this.#ask('Runtime.evaluate', asked).catch(() => null))?.result?.value ?? null;
    }

    async close() {
        this.#line?.close();
        if (this.#child?.exitCode === null && this.#child.signalCode === null) {
            // All processes of the browser share one pipe: it is closed once none is left that writes into the profile.
            const ended = new Promise((done) => this.#child.once('close', done));
            this.#child.kill('SIGKILL');
            await ended;
        }
        rmSync(this.#profile, { recursive: true, force: true });
    }

    #ask(method, params) {
        const id = this.#asked.size ? Math.max(...this.#asked.keys()) + 1 : 1;
        const answer = new Promise((done, failed) => this.#asked.set(id, { done, failed }));
        this.#line.send(JSON.stringify({ id, method, params, ...(this.#session && { sessionId: this.#session }) }));
        return answer;
    }
}

function browser() {
    const folders = (process.env.PATH ?? '').split(delimiter);
    return folders.flatMap((it) => NAMES.map((name) => join(it, name))).find(existsSync);
}

export async function checkBrowser(program, note, checkout) {
    const found = browser();
    if (!found) return console.log(`left out: no browser is here (${NAMES.join(', ')})`);
    const site = createServer((_, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html><script>(${page})()</script>`);
    });
    await new Promise((done) => site.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${site.address().port}`;
    const server = new Server(program, checkout, { FAULTLINE_ORIGINS: origin, FAULTLINE_DRAIN_SECONDS: '0' });
    const [wire, tab] = [new Wire(), new Tab()];
    try {
        await server.start();
        await wire.open(server.address);
        const writer = new Writer(server);
        await writer.open();
        const writing = writer.goOn();
        await tab.open(found, `${origin}/?service=${wire.address}&debate=${writer.id}`);
        let last = null;
        const isSo = async (what, look) => {
            const looked = async () => { last = await tab.report(); return last !== null && look(last); };
            await until(what, looked, 90).catch((fault) => {
                const [events, socket] = [last?.events.at(-1), last?.socket.at(-1)];
                throw new Error(`${fault.message}: of ${writer.version}, events ${events}, socket ${socket}, loads ${last?.loads}`);
            });
        };
        const goesOn = async (after, loads) => {
            const head = writer.version + 20;
            await isSo(`the page goes on after ${after}`,
                (it) => it.loads === loads && it.events.at(-1) >= head && it.socket.at(-1) >= head);
            note(`goes on after ${after}`, null);
        };
        await goesOn('the beginning', 1);
        await tab.reload();
        await goesOn('a reload', 2);
        await tab.reload();
        await goesOn('another reload', 3);
        wire.cut();
        await sleep(1_000);
        wire.mend();
        await goesOn('a cut', 3);
        await server.end('SIGTERM');
        await server.start();
        wire.target = server.address;
        await goesOn('a stop', 3);
        await tab.reload();
        await server.end('SIGKILL');
        await server.start();
        wire.target = server.address;
        await goesOn('a reload and a kill', 4);
        writer.stop();
        await writing;
        await writer.conclude();
        await isSo('the page has heard the end', (it) => it.over.events && it.over.socket);
        for (const way of ['events', 'socket']) {
            const heard = last[way];
            const whole = heard.length === writer.version && heard.every((it, at) => it === at + 1);
            const wrong = heard.findIndex((it, at) => it !== at + 1);
            note(`${way}: every event once`, whole ? null : `of ${writer.version}, from ${wrong}: ${heard.slice(wrong, wrong + 20)}`);
        }
        console.log(`browser: ${last.loads} loads, a cut, a stop, a kill: ${writer.version} events by EventSource and by WebSocket`);
    } finally {
        await tab.close();
        wire.close();
        site.close();
        site.closeAllConnections();
        await server.close();
    }
}
