// urql with the normalizing cache.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { parse, separateOperations } from 'graphql';

export async function readWithUrql(address, operations) {
    const client = new Client({ url: `http://${address}/graphql`, exchanges: [cacheExchange({}), fetchExchange] });
    const only = operations.map(({ text, name, variables }) => [separateOperations(parse(text))[name], variables]);
    const found = [];
    for (const requestPolicy of ['network-only', 'cache-only']) {
        found.length = 0;
        for (const [query, variables] of only) {
            const { data, error } = await client.query(query, variables, { requestPolicy }).toPromise();
            if (error) throw error;
            found.push(data);
        }
    }
    return found;
}
