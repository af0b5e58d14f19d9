// PostGraphile over the schema `peer`: node server.mjs DATABASE_URL. Prints the port it listens on.
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.argv[2], schemas: ['peer'], poolConfig: { max: 20 } })],
  grafserv: { graphqlPath: '/graphql' },
  grafast: { explain: false },
};
const server = createServer();
await postgraphile(preset).createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
