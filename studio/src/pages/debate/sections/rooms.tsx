// Rooms and threads: side discussions of one question, with what their cards state.

import { ROOMS } from "../../../model/debate/section-documents";
import { count, KIND, ROOM_OUTCOME, SIDE, tone } from "../../../model/debate/words";
import { hrefWith } from "../../../model/router";
import { memo } from "../../../model/store";
import { Empty } from "../../../parts/states";
import type { DebateRoomsQuery } from "../../../wire/operations";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { Section } from "./section";
import { useSection, useView } from "../view";

type Read = NonNullable<DebateRoomsQuery["debate"]>;
type Room = Read["rooms"][number];

export function Rooms() {
  const loaded = useSection(ROOMS);
  return (
    <Section loaded={loaded} what="The rooms">
      {({ debate }) => {
        if (!debate) return null;
        const waiting = debate.roomCandidates.filter((it) => !it.roomId);
        return (
          <>
            {!debate.rooms.length && <Empty title="No room was opened yet"><p>A room opens when the same disagreement was seen several times in a row.</p></Empty>}
            {debate.rooms.map((room) => <RoomCard key={room.shortId} room={room} />)}
            {waiting.length > 0 && (
              <section>
                <h3 class="overline">Disagreements that got no room</h3>
                <ul class="items">
                  {waiting.map((it) => {
                    const last = it.sightings[it.sightings.length - 1];
                    return (
                      <li key={it.shortId}>
                        <p dir="auto">{it.question}</p>
                        {last && <p class="small"><span class="tag good">yes</span> <Who id={last.yes.speakerId} /> <TurnLink id={last.yes.turnId} /> <span class="tag bad">no</span> <Who id={last.no.speakerId} /> <TurnLink id={last.no.turnId} /></p>}
                        <p class="small soft">Seen {count(it.sightings.length, "time")}{it.isExpired && "; no longer followed"}.</p>
                      </li>
                    );
                  })}
                </ul>
              </section>
            )}
          </>
        );
      }}
    </Section>
  );
}

const RoomCard = memo(({ room }: { room: Room }) => {
  const { isWide } = useView();
  const state = room.status === "OPEN" ? "open" : room.outcome ? ROOM_OUTCOME[room.outcome] : room.status === "LEFT_OPEN" ? "left open at the end" : "closed";
  return (
    <article class="card room" id={`room-${room.shortId}`}>
      <header>
        <h3 dir="auto">{room.question}</h3>
        <p class="row small">
          <span class="soft">{room.kind === "THREAD" ? "thread" : "room"} {room.shortId}</span>
          <span class={`tag ${room.status === "OPEN" ? "open live" : room.outcome === "RESOLVED" ? "good" : ""}`}>{state}</span>
          {room.memberIds.map((id) => <Who key={id} id={id} />)}
          <a href={hrefWith({ room: room.shortId, tab: isWide ? undefined : "transcript" })}>{count(room.turnCount, "turn")}</a>
        </p>
      </header>
      {room.stances.length > 0 && (
        <ul class="positions">
          {room.stances.map((it) => (
            <li key={it.personaId}>
              <p class="position-who"><span class={`tag ${tone(it.side)}`}>{SIDE[it.side]}</span> <Who id={it.personaId} /> <TurnLink id={it.turnId} /></p>
              {it.quote && <p class="words"><q dir="auto">{it.quote}</q></p>}
            </li>
          ))}
        </ul>
      )}
      <dl class="notes-list">
        {room.card && <><dt>Diagnosis</dt><dd><Refs text={sentence(room.card.diagnosis)} />{room.card.kind && <span class="soft"> The disagreement is {KIND[room.card.kind]}.</span>}</dd></>}
        {room.card && room.card.falsifiers.length > 0 && <><dt>Would change minds</dt><dd>{room.card.falsifiers.map((it) => <p key={it.personaId + it.text}><Who id={it.personaId} />: <span dir="auto">{it.text}</span></p>)}</dd></>}
        {room.card?.resolution && <><dt>Resolution</dt><dd><Refs text={sentence(room.card.resolution)} /></dd></>}
        {room.openedReason && <><dt>Opened</dt><dd><Refs text={sentence(room.openedReason)} /> <span class="soft">Event {room.openedVersion}; from <span class="refs">{room.sourceTurnIds.map((id) => <TurnLink key={id} id={id} />)}</span></span></dd></>}
        {room.closedReason && <><dt>Closed</dt><dd><Refs text={sentence(room.closedReason)} /> <span class="soft">Event {room.closedVersion}</span></dd></>}
        {room.stages.length > 0 && <><dt>Stages</dt><dd>{room.stages.map((it) => it.toLowerCase()).join(" → ")}</dd></>}
        {room.steelmanJudgements.length > 0 && <><dt>Restatements</dt><dd>{room.steelmanJudgements.map((it) => <p key={it.turnId}><Who id={it.speakerId} /> {it.accepted ? "accepts" : "does not accept"} the restatement in <TurnLink id={it.steelmanTurnId} />: <q dir="auto">{it.quote}</q></p>)}</dd></>}
      </dl>
    </article>
  );
});
