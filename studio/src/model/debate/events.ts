// What an event changes in the turns and arguments that the page keeps.

import type { DebateFollowSubscription } from "../../wire/operations";
import type { Graph } from "./graph";
import type { Turn, Turns } from "./turns";

export type FollowedEvent = DebateFollowSubscription["debateEvents"];

/** Kinds after which the texts of arguments and attacks must be read again. */
const STALE = new Set(["attack_judged", "attack_withdrawn", "argument_revised", "argument_withdrawn", "argument_attributed"]);

export interface Changes {
  /** Speaker of the turn that was added; null for the moderator. */
  turns: { speakerId: string | null } | null;
  graph: boolean;
  stale: boolean;
}

export function applyEvent(event: FollowedEvent, turns: Turns, graph: Graph): Changes {
  const changes: Changes = { turns: null, graph: false, stale: STALE.has(event.kind) };
  const { content, version } = event;
  switch (content?.__typename) {
    case "TurnTaken": {
      const { turn, speaker, answers, room, refused, preparation, citations, ...rest } = content;
      turns.append({
        ...blank(turn, event),
        ...rest,
        speakerId: speaker,
        repliesToTurnId: answers,
        roomId: room,
        rejectedParts: refused,
        preparation,
        citations: citations.map(({ chunk, ...citation }) => ({ ...citation, passageId: chunk })),
      });
      changes.turns = { speakerId: speaker };
      break;
    }
    case "Interjected":
      turns.append({ ...blank(content.turn, event), speakerId: content.author, text: content.text, roomId: content.room });
      changes.turns = { speakerId: content.author };
      break;
    case "ArgumentAdvanced":
      graph.advance(content, version);
      changes.graph = true;
      break;
    case "AttackRaised":
      graph.raise(content, version);
      changes.graph = true;
      break;
  }
  if (!changes.turns) turns.cover(version, version);
  return changes;
}

const blank = (shortId: string, event: FollowedEvent): Turn => ({
  shortId, version: event.version, at: event.at, speakerId: null, text: "", moves: [], moveQuotes: [], repliesToTurnId: null, roomId: null,
  phase: null, round: null, rejectedParts: [], citations: [], preparation: null, hint: null,
});
