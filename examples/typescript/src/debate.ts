// Runs a complete external debate: opens it, appends arguments, follows it over a connection that breaks, concludes it,
// and prints the verdict.
import { randomUUID } from "node:crypto";
import { Client, Refused } from "./client.js";
import { AppendDocument, type EventInput, FollowDocument, VerdictDocument } from "./generated.js";

const url = process.argv[2] ?? process.env["FAULTLINE_URL"] ?? "http://127.0.0.1:7777";
const client = new Client(url, process.env["FAULTLINE_TOKEN"]);
const debate = randomUUID();

const event = (kind: string, body: object): EventInput => ({ id: randomUUID(), kind, body });

const persona = (id: string, name: string, about: string) => ({
  id, name, about, version: 1,
  contract: {
    personality: "patient", bias: about, stakes: "its own timetable", epistemology: "what was tried and counted",
    time_horizon: "ten years", flip_conditions: ["a trial of one year says otherwise"], evidence_policy: "counts, not letters",
  },
  voice: { speech_patterns: [], vocabulary: [], forbidden_phrases: [] },
});

const turn = (n: number, speaker: string, moves: string[], text: string, answers?: string, room?: string) =>
  event("turn_taken", { turn: `t${n}`, speaker, moves, text, answers: answers ?? null, room: room ?? null });

const argument = (n: number, speaker: string, inTurn: number, claim: string, premises: string[], assumptions: string[] = []) =>
  event("argument_advanced", {
    argument: `a${n}`, speaker, turn: `t${inTurn}`, claim, premises, assumptions, answers_topic: n <= 2,
  });

const attack = (n: number, speaker: string, inTurn: number, source: number, target: number, kind: string, component: object, rationale: string) =>
  event("attack_raised", {
    attack: `k${n}`, speaker, turn: `t${inTurn}`, source: `a${source}`, target: `a${target}`, component, kind, rationale,
    confidence: 0.8,
  });

const judged = (n: number, strength: number, reason: string) =>
  event("attack_judged", { attack: `k${n}`, valid: true, strength, reason });

// A stance quotes the words of the turn that state it.
const stance = (dispute: string, speaker: string, side: string, inTurn: number, quote: string) =>
  event("stance_taken", { dispute, speaker, side, turn: `t${inTurn}`, quote });

// Events that an orchestrator would obtain from models. Each step is one append: all its events are recorded, or none.
const steps: EventInput[][] = [
  [
    event("debate_opened", {
      topic: "Should the ferry run at night?", engine: "external", engine_revision: 1,
      options: { settings: { orchestrator: "examples/typescript" } },
      participants: [
        persona("harbour-ida", "Ida of the Harbour", "wants the night ferry"),
        persona("keeper-olm", "Olm the Keeper", "wants the nights quiet"),
      ],
      limits: {}, seed: 7, provider: "external",
    }),
    event("phase_entered", { phase: "opening" }),
  ],
  [
    turn(1, "harbour-ida", ["claim"], "It should: whoever works late cannot get home."),
    argument(1, "harbour-ida", 1, "The ferry should run at night", ["Two hundred people work past the last ferry"], ["They would pay for it"]),
    event("dispute_raised", { dispute: "d1", question: "Should the ferry run at night?", is_topic: true }),
    stance("d1", "harbour-ida", "yes", 1, "It should"),
  ],
  [
    turn(2, "keeper-olm", ["claim", "challenge"], "It should not: one crew cannot do both shifts.", "t1"),
    argument(2, "keeper-olm", 2, "The ferry should rest at night", ["There is one crew"]),
    stance("d1", "keeper-olm", "no", 2, "It should not"),
    attack(1, "keeper-olm", 2, 2, 1, "rebut", { part: "claim" }, "The ferry cannot both run and rest"),
    judged(1, 0.9, "They exclude each other"),
  ],
  [
    turn(3, "keeper-olm", ["challenge"], "And nobody has asked those two hundred what they would pay.", "t1"),
    argument(3, "keeper-olm", 3, "Nobody knows whether they would pay", ["No fare was ever tried"]),
    attack(2, "keeper-olm", 3, 3, 1, "undermine", { part: "assumption", index: 0 }, "It takes for granted what nobody asked"),
    judged(2, 0.6, "The assumption was not shown"),
  ],
  [
    event("dispute_raised", { dispute: "d2", question: "Would a night fare pay for a second crew?", turns: ["t1", "t2", "t3"] }),
    turn(4, "harbour-ida", ["propose_crux"], "It turns on whether a night fare pays for a second crew. I say it does.", "t3"),
    stance("d2", "harbour-ida", "yes", 4, "I say it does."),
    turn(5, "keeper-olm", ["clarify"], "That is the question, and I say it does not.", "t4"),
    stance("d2", "keeper-olm", "no", 5, "I say it does not"),
    event("crux_proposed", { crux: "c1", speaker: "harbour-ida", turn: "t4", statement: "A night fare would pay for a second crew" }),
    event("crux_acknowledged", { crux: "c1", speaker: "keeper-olm", turn: "t5", cites: "t4", quote: "That is the question" }),
  ],
  [
    event("room_opened", {
      room: "m1", question: "Would a night fare pay for a second crew?", dispute: "d2",
      participants: ["harbour-ida", "keeper-olm"], turns: ["t4", "t5"], reason: "both name it, and they say the opposite",
    }),
    turn(6, "harbour-ida", ["claim"], "In the year of the strike half the late shift paid full fare.", "t5", "m1"),
    event("claim_checked", {
      check: "f1", turn: "t6", claim: "Half the late shift paid full fare in the year of the strike", quote: "half the late shift paid full fare",
      verdict: "false", by: "harbour-records", explanation: "A third of them did.", confidence: 0.8,
      sources: [{ title: "Accounts of the ferry", address: "https://example.org/accounts", excerpt: "a third of the late shift" }],
    }),
    turn(7, "keeper-olm", ["challenge"], "A third did, and a third pays for nobody.", "t6", "m1"),
    stance("d2", "keeper-olm", "no", 7, "a third pays for nobody"),
    event("room_closed", {
      room: "m1", outcome: "surfaced", reason: "it turns on how many would pay",
      card: {
        kind: "evidence", diagnosis: "They count different fares.",
        falsifiers: [{ speaker: "keeper-olm", text: "Half the seats taken for a month at full fare" }],
      },
    }),
  ],
  [event("debate_concluded", { outcome: { kind: "settled", reason: "both say what it turns on" } })],
];

const total = steps.flat().length;
let pull = () => {};
const heard: number[] = [];

// Follows the debate, and resumes after the last received version whenever the connection breaks.
async function follow(): Promise<number> {
  for (let connections = 1; ; connections += 1) {
    try {
      const after = heard.at(-1) ?? 0;
      for await (const { debateEvents: it } of client.follow(FollowDocument, { debate, after }, (it) => (pull = it))) {
        heard.push(it.version);
        console.log(`${String(it.version).padStart(4)}  ${it.kind.padEnd(18)}  ${it.summary}`);
      }
      return connections;
    } catch (error) {
      if (connections === 10) throw error;
      await new Promise((wake) => setTimeout(wake, 50 * connections));
    }
  }
}

// Appends events. If the response is lost, sends the same events again; their ids prevent duplicates.
async function append(at: number, events: EventInput[]): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      const input = { debateId: debate, expectedVersion: at, events };
      return (await client.ask(AppendDocument, { input })).appendEvents.version;
    } catch (error) {
      if (error instanceof Refused || tries === 5) throw error;
    }
  }
}

let version = 0;
let followed: Promise<number> | undefined;
for (const [n, events] of steps.entries()) {
  version = await append(version, events);
  followed ??= follow();
  if (n === 3) {
    while (heard.length < version) await new Promise((wake) => setTimeout(wake, 20));
    console.log("      (the connection is cut here)");
    pull();
  }
}
const again = { debateId: debate, expectedVersion: 0, events: steps[1]! };
const repeated = (await client.ask(AppendDocument, { input: again })).appendEvents.repeated;
const connections = await followed!;

const { debate: verdict } = await client.ask(VerdictDocument, { debate });
if (!verdict) throw new Error(`debate ${debate} was not found`);
console.log(`\noutcome: ${verdict.outcome?.kind}: ${verdict.outcome?.reason}`);
console.log(`regime: ${verdict.regime.kind}: ${verdict.regime.reason}`);
for (const { personaId, side } of verdict.topicVerdict?.positions ?? []) console.log(`on the topic: ${personaId} says ${side}`);
for (const crux of verdict.cruxes) console.log(`crux: ${crux.question} (pivotality ${crux.pivotality ?? "unknown"})`);

for (const room of verdict.rooms) console.log(`room: ${room.question} (${room.outcome}, ${room.turnCount} turns)`);
for (const check of verdict.factChecks) console.log(`check: ${check.claim} (${check.verdict})`);

const whole = heard.length === total && heard.every((it, n) => it === n + 1);
console.log(`\n${heard.length} events over ${connections} connections, ${whole ? "each exactly once" : `not as recorded: ${heard}`}`);
const right = whole && repeated && connections > 1 && verdict.status === "CONCLUDED" && verdict.cruxes.length > 0
  && verdict.rooms.length === 1 && verdict.factChecks.length === 1;
if (!right) process.exit(1);
