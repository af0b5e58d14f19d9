"""Reads operations with gql's transports in their default settings, and the events of a debate by a subscription."""

import json
import sys

from gql import Client, GraphQLRequest, gql
from gql.transport.requests import RequestsHTTPTransport
from gql.transport.websockets import WebsocketsTransport

EVENTS = gql("subscription ($id: ID!) { debateEvents(debateId: $id) { version kind } }")


def execute(client, operation):
    request = GraphQLRequest(
        operation["text"], variable_values=operation["variables"], operation_name=operation["name"]
    )
    return client.execute(request)


def main(address):
    operations = json.load(sys.stdin)
    http = RequestsHTTPTransport(url=f"http://{address}/graphql")
    socket = WebsocketsTransport(url=f"ws://{address}/graphql/ws")
    found = {}
    for name, transport in (("http", http), ("websocket", socket)):
        with_schema = name == "http"
        client = Client(transport=transport, fetch_schema_from_transport=with_schema)
        found[name] = [execute(client, operation) for operation in operations]
    found["events"] = []
    request = GraphQLRequest(EVENTS, variable_values={"id": operations[1]["variables"]["id"]})
    for event in Client(transport=WebsocketsTransport(url=f"ws://{address}/graphql/ws")).subscribe(request):
        found["events"].append(event["debateEvents"])
        if len(found["events"]) == 10:
            break
    json.dump(found, sys.stdout)


main(sys.argv[1])
