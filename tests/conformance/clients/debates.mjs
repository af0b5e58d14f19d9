// Four debates whose turns, arguments, disputes and cruxes have the same short ids and say something else.
import { randomUUID } from 'node:crypto';

import { until } from '../writer.mjs';

const START = `mutation ($input: StartDebateInput!) { startDebate(input: $input) { debate { version } } }`;
const APPEND = `mutation ($input: AppendEventsInput!) { appendEvents(input: $input) { version } }`;
/** Events of each behind the first one. */
const EVENTS = 9;
const [EDDA, GUS] = ['edda-tolvane', 'gus-ormerand'];

export async function ask(address, query, variables, operationName) {
    const response = await fetch(`http://${address}/graphql`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query, variables, operationName }),
    });
    const { data, errors } = await response.json();
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
}

/** Opens them; each with the version before its second argument. */
export async function openDebates(address) {
    const opened = [];
    for (const place of ['ferry', 'bridge', 'library', 'market']) {
        const id = randomUUID();
        const input = { id, engine: 'external', topic: `Should the ${place} open at night?`, personaIds: [EDDA, GUS] };
        await ask(address, START, { input });
        await ask(address, APPEND, { input: { debateId: id, expectedVersion: 1, events: events(place) } });
        opened.push({ id, before: 5 });
    }
    const LISTED = '{ debates(first: 4) { nodes { id version } } }';
    await until('the list has the debates', async () => {
        const { debates: { nodes } } = await ask(address, LISTED);
        return opened.every(({ id }) => nodes.some((it) => it.id === id && it.version === 1 + EVENTS));
    });
    return opened;
}

function events(place) {
    const event = (kind, body) => ({ id: randomUUID(), kind, body });
    const turn = (n, speaker, text) => event('turn_taken', { turn: `t${n}`, speaker, moves: ['claim'], text });
    const argument = (n, speaker, claim, premises, assumptions = []) => event('argument_advanced', {
        argument: `a${n}`, speaker, turn: `t${n}`, claim, premises, assumptions, answers_topic: true,
    });
    const stance = (speaker, side, n, quote) => event('stance_taken', { dispute: 'd1', speaker, side, turn: `t${n}`, quote });
    return [
        turn(1, EDDA, `The ${place} should open, because people work late.`),
        argument(1, EDDA, `The ${place} should open at night`, ['People work late'], [`They would use the ${place}`]),
        event('dispute_raised', { dispute: 'd1', question: `Would people use the ${place} at night?`, turns: ['t1'] }),
        stance(EDDA, 'yes', 1, `The ${place} should open`),
        turn(2, GUS, `The ${place} should rest, because nobody would come.`),
        argument(2, GUS, `The ${place} should rest at night`, ['Nobody would come']),
        event('attack_raised', {
            attack: 'k1', speaker: GUS, turn: 't2', source: 'a2', target: 'a1', kind: 'rebut', component: { part: 'claim' },
            rationale: `The ${place} cannot both open and rest`, confidence: 0.8,
        }),
        event('attack_judged', { attack: 'k1', valid: true, strength: 0.9, reason: 'They exclude each other' }),
        stance(GUS, 'no', 2, 'nobody would come'),
    ];
}
