// A network that can be cut: a TCP proxy between clients and a server.
import { createServer, connect } from 'node:net';

export class Wire {
    #server = createServer((near) => this.#join(near));
    #lines = new Set();
    #held = new Set();
    #down = false;
    /** To where it leads at present; may be set anew. */
    target;
    /** Where clients find it. */
    address;

    async open(target) {
        this.target = target;
        await new Promise((done) => this.#server.listen(0, '127.0.0.1', done));
        this.address = `127.0.0.1:${this.#server.address().port}`;
    }

    /** Cuts every second line, and lets the others swallow what is sent, in both directions; takes no new ones. */
    cut() {
        this.#down = true;
        [...this.#lines].forEach((line, at) => {
            if (at % 2) return line.drop();
            line.hold();
            this.#held.add(line);
        });
    }

    /** Takes new lines again. Those that swallowed what was sent do not recover: they are cut now. */
    mend() {
        this.#down = false;
        this.#held.forEach((it) => it.drop());
        this.#held.clear();
    }

    close() {
        this.#server.close();
        this.#lines.forEach((it) => it.drop());
    }

    #join(near) {
        near.on('error', () => {});
        if (this.#down) return near.resetAndDestroy();
        const [host, port] = this.target.split(':');
        const far = connect(Number(port), host);
        const line = {
            drop: () => [near, far].forEach((it) => it.destroy()),
            hold: () => {
                line.silent = true;
                for (const [from, to] of [[near, far], [far, near]]) from.unpipe(to).on('data', () => {});
            },
        };
        this.#lines.add(line);
        far.on('error', () => line.drop());
        for (const [from, to] of [[near, far], [far, near]]) {
            from.pipe(to);
            from.on('close', () => {
                this.#lines.delete(line);
                // A line that is silent does not tell either that somebody hung up.
                if (!line.silent) to.destroy();
            });
        }
    }
}
