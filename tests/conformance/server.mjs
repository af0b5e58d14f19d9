// A server of a check's own, over a private database in a folder of its own: started, stopped, killed, started again.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export class Server {
    #program;
    #checkout;
    #home;
    #more;
    #child;
    #ended;
    /** Where it serves; another place each time. */
    address;

    constructor(program, checkout, more = {}) {
        this.#program = program;
        this.#checkout = checkout;
        this.#more = more;
        this.#home = mkdtempSync(join(tmpdir(), 'faultline-conformance-'));
        // The private database may run as another user, who has to come in.
        chmodSync(this.#home, 0o755);
        // What was fetched for the checkout before is used again.
        const cache = join(checkout, '.faultline/cache');
        if (existsSync(cache)) symlinkSync(cache, join(this.#home, 'cache'));
    }

    /** Starts the program, and waits until it says where it serves. */
    async start() {
        const { DATABASE_URL: _, ...environment } = process.env;
        const corpus = join(this.#home, 'corpus');
        mkdirSync(corpus, { recursive: true });
        const own = { FAULTLINE_HOME: this.#home, FAULTLINE_EMBEDDER: 'hashing', ...this.#more };
        this.#child = spawn(this.#program, ['serve', '--listen', '127.0.0.1:0'], {
            cwd: this.#checkout, env: { ...environment, ...own }, stdio: ['ignore', 'pipe', 'inherit'],
        });
        this.#ended = new Promise((done) => this.#child.once('exit', done));
        const lines = createInterface({ input: this.#child.stdout });
        this.address = await new Promise((found, failed) => {
            lines.on('line', (line) => {
                const told = /^serving on http:\/\/(\S+)/.exec(line);
                if (told) found(told[1]);
            });
            this.#ended.then((code) => failed(new Error(`the server ended with ${code} before it served`)));
        });
    }

    /** Tells it to end, or ends it, and waits until it has. */
    async end(signal = 'SIGTERM') {
        this.#child?.kill(signal);
        await this.#ended;
    }

    /** Ends it for good; nothing of it stays. */
    async close() {
        await this.end();
        rmSync(this.#home, { recursive: true, force: true });
    }
}
