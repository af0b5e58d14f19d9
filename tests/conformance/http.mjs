// GraphQL over HTTP: the audits of `graphql-http`, those that the specification only recommends too; and what it leaves
// to the server: tags, hashes instead of texts, lists of requests.
import { createHash } from 'node:crypto';

import { serverAudits } from 'graphql-http';

export async function checkHttp(address, note) {
    const url = `http://${address}/graphql`;
    for (const audit of serverAudits({ url, fetchFn: fetch })) {
        const result = await audit.fn().catch((error) => ({ status: 'error', reason: String(error) }));
        note(`${audit.id} ${audit.name}`, result.status === 'ok' ? null : `${result.status}: ${result.reason}`);
    }
    const ask = async (body) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const told = (found, wanted) => {
        const [is, should] = [found, wanted].map((it) => JSON.stringify(it));
        return is === should ? null : `${is}, not ${should}`;
    };
    const query = '{ engines { name } }';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    note('a hash that is not known', told((await ask({ extensions })).errors[0].message, 'PersistedQueryNotFound'));
    const whole = await ask({ query, extensions });
    note('a hash beside its text', whole.data ? null : JSON.stringify(whole));
    note('a hash alone', told(await ask({ extensions }), whole));
    note('a list of requests', told(await ask([{ query }, { query }]), [whole, whole]));
    const many = await ask(Array(11).fill({ query }));
    note('a list that is too long', told(many.errors?.[0].extensions.code, 'INVALID'));
    const plain = await fetch(`${url}?${new URLSearchParams({ query })}`, { headers: { 'x-request-id': 'here-1' } });
    note('the name of a request', told(plain.headers.get('x-request-id'), 'here-1'));
}
