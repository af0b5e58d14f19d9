// Choice between the main channel and the rooms of a transcript.

import type { ComponentChildren } from "preact";
import { useQueryValue } from "../../../model/router";
import { useView } from "../view";

/** Id of the room whose turns are shown, `main` for the main channel, or null for all; and the control that sets it. */
export function useRoomFilter(): { id: string | null; choice: ComponentChildren } {
  const { debate } = useView();
  const [room, setRoom] = useQueryValue("room");
  const rooms = [...new Set(debate.turns.all.flatMap((turn) => (turn.roomId ? [turn.roomId] : [])))];
  if (!rooms.length) return { id: null, choice: null };
  rooms.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
  const choice = (
    <p class="room-choice no-print">
      <label>
        <span class="small soft">Show</span>{" "}
        <select class="input" value={room} onChange={(event) => setRoom(event.currentTarget.value)}>
          <option value="" selected={room === ""}>everything, in order</option>
          <option value="main" selected={room === "main"}>the main channel</option>
          {rooms.map((id) => <option key={id} value={id} selected={room === id}>room {id}</option>)}
        </select>
      </label>
    </p>
  );
  return { id: room || null, choice };
}
