// Words of turns that a model is writing. They are not recorded: the text of the turn replaces them.

import { socket } from "../../wire";
import { Store } from "../store";
import { DRAFTS } from "./live-documents";

export interface Draft {
  id: string;
  speakerId: string;
  attempt: number;
  text: string;
}

export class Drafts {
  readonly current = new Store<readonly Draft[]>([]);
  private stopped: (() => void) | null = null;

  constructor(private readonly id: () => string) {}

  start(): void {
    if (this.stopped) return;
    this.stopped = socket.subscribe(DRAFTS, () => ({ id: this.id() }), {
      next: ({ turnDraft: piece }) => {
        const others = this.current.get().filter((draft) => draft.id !== piece.draftId);
        if (piece.state !== "WRITING") return this.current.set(others);
        const known = this.current.get().find((draft) => draft.id === piece.draftId);
        // Characters are counted by code points; a piece that does not continue what is known begins the draft anew.
        const before = piece.offset === 0 ? "" : (known?.text ?? "");
        const draft = { id: piece.draftId, speakerId: piece.speakerId, attempt: piece.attempt, text: before + piece.text };
        this.current.set(known ? this.current.get().map((it) => (it.id === draft.id ? draft : it)) : [...others, draft]);
      },
      // Drafts are an extra: without them the turns still arrive.
      error: (error) => error.code === "LAGGED",
      complete: () => this.current.set([]),
    });
  }

  /** A turn was recorded: its speaker's draft is over, even if its end has not arrived. */
  said({ speakerId }: { speakerId: string | null }): void {
    const left = this.current.get().filter((draft) => draft.speakerId !== speakerId);
    if (left.length !== this.current.get().length) this.current.set(left);
  }

  stop(): void {
    this.stopped?.();
    this.stopped = null;
    this.current.set([]);
  }
}
