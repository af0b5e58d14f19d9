// GraphiQL over this service: queries and mutations by POST, subscriptions by graphql-transport-ws.
"use strict";

const http = new URL("graphql", location.href);
const ws = new URL("graphql/ws", location.href);
ws.protocol = ws.protocol === "https:" ? "wss:" : "ws:";

const DEBATES = `# The newest debates, their ids among them.
query Debates {
  debates(first: 10) {
    edges {
      cursor
      node {
        id
        topic
        engine
        status
        version
        turnCount
        participants {
          name
        }
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`;

const DEBATE = `# A debate: where it stands, what it turns on,
# who stands together, what was said. With \`at\`,
# all of it is as of that version.
query Debate($id: ID!, $at: Int) {
  debate(id: $id, at: $at) {
    topic
    status
    version
    regime {
      kind
      reason
      exact
      coverage {
        examined
        pairs
      }
    }
    cruxes {
      statement
      origin
      pivotality
      positions {
        personaId
        side
      }
    }
    commonGround {
      question
      side
    }
    camps {
      personaIds
      argumentIds
    }
    turns(first: 100) {
      nodes {
        id
        speaker
        round
        moves
        text
      }
    }
  }
}
`;

const START = `# Opens a debate, which runs by itself from then on.
# The next tab follows it: give it the id.
mutation StartDebate($input: StartDebateInput!) {
  startDebate(input: $input) {
    debate {
      id
      status
      version
    }
  }
}
`;

const FOLLOW = `# A debate's events: history, then each as it happens.
# To go on later, pass the last version you have.
subscription DebateEvents($debateId: ID!, $after: Int! = 0) {
  debateEvents(debateId: $debateId, after: $after) {
    version
    kind
    summary
    at
    body
  }
}
`;

const CAST = `# Who can debate, how, and who answers.
query Cast {
  personas {
    id
    name
    about
  }
  engines {
    name
    about
    minParticipants
    maxParticipants
    options {
      name
      about
      default
    }
  }
  providers {
    name
    about
  }
}
`;

/** What the variables of the first tabs are filled with; nothing where the service cannot be asked. */
async function known() {
  try {
    const query = "{ debates(first: 1) { edges { node { id } } } personas { id } }";
    const headers = { "content-type": "application/json", accept: "application/json" };
    const response = await fetch(http, { method: "POST", headers, body: JSON.stringify({ query }) });
    const { data } = await response.json();
    const ids = data.personas.map((it) => it.id);
    const favoured = ["edda-tolvane", "gus-ormerand"].filter((it) => ids.includes(it));
    const personas = favoured.length === 2 ? favoured : ids.slice(0, 2);
    return { debate: data.debates.edges[0]?.node.id, personas };
  } catch {
    return {};
  }
}

function tabs({ debate = "", personas = [] }) {
  const variables = (value) => JSON.stringify(value, null, 2);
  const input = { topic: "Should the city close its centre to private cars?", personaIds: personas, seed: 7 };
  return [
    { query: DEBATES },
    { query: DEBATE, variables: variables({ id: debate }) },
    { query: START, variables: variables({ input }) },
    { query: FOLLOW, variables: variables({ debateId: debate, after: 0 }) },
    { query: CAST },
  ];
}

/** Shows in place of the editor why a library is missing, in the service's own words. */
async function explain() {
  const response = await fetch("graphiql/0.8/graphiql.min.js").catch(() => undefined);
  const loaded = "The libraries of GraphiQL were loaded only in part. Reload the page.";
  const text = response === undefined ? "The service does not answer." : response.ok ? loaded : await response.text();
  document.getElementById("graphiql").textContent = text;
}

async function open() {
  const { React, ReactDOM, GraphiQL, graphqlWs } = window;
  if (!React || !ReactDOM || !GraphiQL || !graphqlWs) {
    await explain();
    return;
  }
  const { createElement } = React;
  const fetcher = GraphiQL.createFetcher({
    url: http.href,
    enableIncrementalDelivery: false,
    // A stream that broke off is not begun anew by itself: it would tell its history twice.
    wsClient: graphqlWs.createClient({ url: ws.href, retryAttempts: 0 }),
  });
  const logo = createElement(GraphiQL.Logo, { key: "logo" }, "Faultline");
  const props = { fetcher, defaultTabs: tabs(await known()), defaultQuery: DEBATES, shouldPersistHeaders: false };
  ReactDOM.createRoot(document.getElementById("graphiql")).render(createElement(GraphiQL, props, logo));
}

open();
