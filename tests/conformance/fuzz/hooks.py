"""What schemathesis has to know of the API beyond its schema, and one check of ours.

`FAULTLINE_FUZZ` holds the names of things that are there, with spaces between: drawn at random, names lead nowhere.
"""

import os

import graphql
import schemathesis
from hypothesis import strategies as st
from schemathesis.graphql import nodes

THERE = os.environ.get("FAULTLINE_FUZZ", "").split()
# Arguments that name a debate, a crux or a persona, and fields of inputs that do. The `id` of an input is chosen by the
# client, and names nothing that is there.
FIELD_NAMES = {"debateId", "personaId"}
NAMES = FIELD_NAMES | {"id", "withDebateId"}

# `JSON` is any value: a text, a number, an object of both, which is also how the service takes documents and bodies.
LEAVES = st.one_of(
    st.integers(-(2**31), 2**31 - 1).map(nodes.Int),
    st.text(max_size=20).map(nodes.String),
    st.booleans().map(nodes.Boolean),
    st.just(nodes.Null),
)
FIELDS = ["phase", "topic", "version", "events", "kind", "argument", "speaker", "id", "engine"]


def an_object(pairs):
    fields = [
        graphql.ObjectFieldNode(name=graphql.NameNode(value=name), value=value) for name, value in pairs.items()
    ]
    return graphql.ObjectValueNode(fields=tuple(fields))


schemathesis.graphql.scalar(
    "JSON", st.one_of(LEAVES, st.dictionaries(st.sampled_from(FIELDS), LEAVES, max_size=4).map(an_object))
)
# What is told as a whole number from 0 is asked for as one: what lies below is refused as no value of the type.
schemathesis.graphql.scalar("Long", st.integers(0, 2**64 - 1).map(nodes.Int))
SEEDS = st.integers(0, 2**64 - 1)
schemathesis.graphql.scalar("Seed", st.one_of(SEEDS.map(nodes.Int), SEEDS.map(str).map(nodes.String)))


class Named(graphql.Visitor):
    """Puts the name of something that is there where a name is asked for."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def enter_argument(self, node, *_):
        if node.name.value in NAMES and isinstance(node.value, graphql.StringValueNode):
            return graphql.ArgumentNode(name=node.name, value=graphql.StringValueNode(value=self.name))
        return None

    def enter_object_field(self, node, *_):
        if node.name.value in FIELD_NAMES and isinstance(node.value, graphql.StringValueNode):
            return graphql.ObjectFieldNode(name=node.name, value=graphql.StringValueNode(value=self.name))
        return None


@schemathesis.hook
def flatmap_body(context, body):
    if not THERE:
        return st.just(body)
    named = st.sampled_from(THERE).map(lambda it: graphql.visit(body, Named(it)))
    return st.one_of(st.just(body), named, named)


@schemathesis.check
def refusals_have_codes_and_nothing_fails(context, response, case):
    """`not_a_server_error` believes what an answer says of itself; this looks at each error."""
    for error in response.json().get("errors") or []:
        code = (error.get("extensions") or {}).get("code")
        assert code not in (None, "INTERNAL"), f"{case.operation.label}: {error}"
