// Apollo Client with its own cache.
import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client/core/index.js';

export async function readWithApollo(address, operations) {
    const link = new HttpLink({ uri: `http://${address}/graphql` });
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const only = operations.map(({ text, name, variables }) => ({ query: document(text, name), variables }));
    for (const it of only) await client.query(it);
    const found = only.map((it) => client.readQuery(it));
    client.stop();
    return found;
}

/** The operation of this name with the fragments. */
function document(text, name) {
    const all = gql(text);
    const definitions = all.definitions.filter((it) => it.kind === 'FragmentDefinition' || it.name.value === name);
    const used = JSON.stringify(definitions.filter((it) => it.kind !== 'FragmentDefinition')).includes('FragmentSpread');
    return { kind: 'Document', definitions: definitions.filter((it) => used || it.kind !== 'FragmentDefinition') };
}
