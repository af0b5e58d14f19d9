// One debate as the page knows it: the verdict at the shown version, turns, arguments, and what arrives live.

import { resume, socket, WireError } from "../../wire";
import type { DebateSheetQuery } from "../../wire/operations";
import { ask, toWireError } from "../data";
import { frameBatch, Store } from "../store";
import { EVENTS, GRAPH, SHEET, TIMELINE, TURNS } from "./documents";
import { Drafts } from "./drafts";
import { applyEvent, type FollowedEvent } from "./events";
import { Graph } from "./graph";
import { Timeline, type Labels } from "./labels";
import { FOLLOW } from "./live-documents";
import { Turns } from "./turns";

export type Sheet = NonNullable<DebateSheetQuery["debate"]>;
export interface Line {
  version: number;
  kind: string;
  summary: string;
  at: string;
}

/** Sheets of past versions that are kept; a past version never changes. */
const KEPT_SHEETS = 48;
/** Least time between two reads of the verdict of a running debate, in milliseconds. */
const SHEET_PAUSE = 300;
/** Least time between two reads of the verdict while the reader moves through the events, in milliseconds. */
const STEP_PAUSE = 100;
const TIMELINE_PAUSE = 1_500;
/** Kinds of events that change the status. */
const LIFE = new Set(["debate_paused", "debate_resumed", "debate_concluded", "debate_aborted"]);

export class Debate {
  /** Latest version that is known to exist. */
  readonly head = new Store(0);
  /** Version that the reader chose; null follows the latest. */
  readonly at = new Store<number | null>(null);
  /** Verdict of the shown version, or of an earlier one while that is being read. */
  readonly sheet = new Store<Sheet | null>(null);
  /** Status and outcome at the latest version, whichever version is shown. */
  readonly state = new Store<Pick<Sheet, "status" | "outcome"> | null>(null);
  readonly error = new Store<WireError | null>(null);
  readonly timeline = new Store(new Timeline());
  /** Counters of changes: the data beside them changes in place. */
  readonly turnsChanged = new Store(0);
  readonly graphChanged = new Store(0);
  readonly linesChanged = new Store(0);
  /** True once all turns up to the latest version are known. */
  readonly isComplete = new Store(false);

  readonly turns = new Turns();
  readonly graph = new Graph();
  readonly lines = new Map<number, Line>();
  readonly drafts: Drafts;

  private readonly sheets = new Map<number, Sheet>();
  private readonly abort = new AbortController();
  private readonly inFrame = frameBatch();
  private readonly pending = new Set<string>();
  private stops: (() => void)[] = [];
  private timers = new Map<string, ReturnType<typeof setTimeout>>();
  private sheetBusy = false;
  private sheetWanted: { version: number | null } | null = null;
  private sheetRead = 0;
  private hasTimeline = true;

  /** `id` may be short; the full one is that of the sheet. */
  constructor(private id: string) {
    this.drafts = new Drafts(() => this.id);
  }

  get fullId(): string {
    return this.id;
  }

  get shown(): number {
    return this.at.get() ?? this.head.get();
  }

  /** Reads the debate and follows it. Returns at once. */
  open(at: number | null): void {
    this.at.set(at);
    void this.begin();
  }

  close(): void {
    this.abort.abort();
    for (const timer of this.timers.values()) clearTimeout(timer);
    for (const stop of this.stops) stop();
    this.stops = [];
    this.drafts.stop();
  }

  /** Shows a version; null, or anything beyond the latest, follows the latest. */
  show(version: number | null): void {
    const head = this.head.get();
    const wanted = version === null || version >= head ? null : Math.max(1, Math.round(version));
    if (wanted === this.at.get()) return;
    this.at.set(wanted);
    this.wantSheet();
    this.fillTurns();
    this.wantLine(this.shown);
  }

  /** Labels at the shown version; those of the sheet if it is of this version, otherwise those of the timeline. */
  labels(): { labels: Labels; isExact: boolean } {
    const sheet = this.sheet.get();
    const version = this.shown;
    if (sheet?.version !== version) {
      const labels = this.timeline.get().labelsAt(version);
      if (labels) return { labels, isExact: true };
    }
    return { labels: sheet ? labelsOf(sheet) : new Map(), isExact: sheet?.version === version };
  }

  /** Reads the summaries of the events around a version, unless they are known. */
  wantLine(version: number): void {
    if (version < 1 || this.lines.has(version)) return;
    const at = Math.min(this.head.get(), Math.ceil(version / 100) * 100);
    void this.once(`lines${at}`, async () => {
      const { debate } = await ask(EVENTS, { id: this.id, at }, this.abort.signal);
      for (const line of debate?.events.nodes ?? []) this.lines.set(line.version, line);
      this.linesChanged.update((n) => n + 1);
    });
  }

  /** Reads verdict and arguments again, after something was done by hand. */
  refresh(): void {
    this.sheets.clear();
    this.wantSheet(true);
  }

  private async begin(): Promise<void> {
    try {
      const at = this.at.get();
      // Everything that the first view needs is asked for at once.
      void this.readTurns(at, 30);
      this.wantGraph();
      this.wantTimeline();
      // The version of the address may be beyond the latest, which is known only afterwards.
      const [sheet] = await Promise.all([ask(SHEET, { id: this.id, at: null }, this.abort.signal), at !== null ? this.readSheet(at).catch(() => null) : null]);
      if (!sheet.debate) return this.error.set(new WireError("There is no debate with this id.", "NOT_FOUND"));
      this.id = sheet.debate.id;
      this.head.set(sheet.debate.version);
      if (at !== null && at >= sheet.debate.version) this.at.set(null);
      this.takeSheet(sheet.debate, null);
      const shown = this.at.get();
      if (shown !== null && !this.sheets.has(shown)) this.wantSheet();
      this.follow(sheet.debate.version);
      if (sheet.debate.status === "RUNNING") this.drafts.start();
      this.fillTurns();
      this.wantLine(this.shown);
    } catch (error) {
      if (!this.abort.signal.aborted) this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const known = toWireError(error);
    this.error.set(known);
    if (!known.isTemporary && known.code !== "UNAUTHENTICATED") return;
    // Begin again when the service is back. The socket notices it only if something is followed.
    this.later("again", 2_000, () => {
      this.error.set(null);
      void this.begin();
    });
  }

  private follow(after: number): void {
    this.stops.push(
      resume(socket, FOLLOW, after, {
        variables: (cursor) => ({ id: this.id, after: cursor }),
        cursorOf: (data) => data.debateEvents.version,
        isNewer: (a, b) => a > b,
        next: (data) => this.inFrame(() => this.receive(data.debateEvents)),
        restart: () => this.startOver(),
        error: (error) => this.error.set(error),
        complete: () => this.inFrame(() => {
          const sheet = this.sheet.get();
          if (this.at.get() === null && (sheet?.version !== this.head.get() || sheet.status === "RUNNING")) this.wantSheet(true);
        }),
      }),
    );
  }

  /** The log was restored from a backup and is shorter now: nothing that is known counts. */
  private startOver(): void {
    for (const stop of this.stops) stop();
    this.stops = [];
    this.turns.clear();
    this.graph.clear();
    this.lines.clear();
    this.sheets.clear();
    this.timeline.set(new Timeline());
    this.at.set(null);
    void this.begin();
  }

  private receive(event: FollowedEvent): void {
    this.lines.set(event.version, event);
    const changes = applyEvent(event, this.turns, this.graph);
    if (event.version > this.head.get()) this.head.set(event.version);
    if (changes.turns) {
      this.drafts.said(changes.turns);
      this.turnsChanged.update((n) => n + 1);
    }
    if (changes.graph) this.graphChanged.update((n) => n + 1);
    if (changes.stale) this.later("graph", 1_000, () => this.wantGraph());
    if (event.kind === "debate_resumed") this.drafts.start();
    if (LIFE.has(event.kind)) this.later("state", 100, () => void this.readState());
    if (this.at.get() === null) this.wantSheet();
    this.later("timeline", TIMELINE_PAUSE, () => this.wantTimeline());
  }

  /** Reads the status while the reader looks at an earlier version. */
  private async readState(): Promise<void> {
    if (this.at.get() === null) return;
    await this.once("state", async () => {
      const { debate } = await ask(SHEET, { id: this.id, at: null }, this.abort.signal);
      if (debate) this.state.set({ status: debate.status, outcome: debate.outcome });
    });
  }

  private wantGraph(): void {
    void this.once("graph", async () => {
      const { debate } = await ask(GRAPH, { id: this.id, at: null }, this.abort.signal);
      if (!debate) return;
      this.graph.read(debate);
      this.graphChanged.update((n) => n + 1);
    });
  }

  private wantTimeline(): void {
    if (!this.hasTimeline) return;
    void this.once("timeline", async () => {
      try {
        const known = this.timeline.get();
        const { debate } = await ask(TIMELINE, { id: this.id, after: known.version }, this.abort.signal);
        if (!debate) return;
        // The stream started over meanwhile.
        if (known !== this.timeline.get()) return this.later("timeline", 0, () => this.wantTimeline());
        this.graph.readVersions(debate);
        this.timeline.set(new Timeline(debate.version, [...known.entries, ...debate.timeline]));
        this.graphChanged.update((n) => n + 1);
      } catch (error) {
        // Without it labels come with each version that is read, so this is no error that a reader has to know of. A
        // service that lacks the field, or that takes too long, is not asked again.
        const { code, isTemporary } = toWireError(error);
        if (code === "INVALID" || code === "LIMIT") this.hasTimeline = false;
        else if (isTemporary) this.later("timeline", 5_000, () => this.wantTimeline());
      }
    });
  }

  /** Reads the turns that the shown version lacks, then all earlier ones, a page at a time. */
  private fillTurns(): void {
    const gap = this.turns.gapBelow(this.shown) ?? this.turns.gapBelow(this.head.get());
    if (gap === null || gap < 1) return this.isComplete.set(true);
    void this.readTurns(gap, 100);
  }

  /** Reads the last turns up to a version, then goes on with what is missing. */
  private async readTurns(at: number | null, last: number): Promise<void> {
    const ran = await this.once("turns", async () => {
      const { debate } = await ask(TURNS, { id: this.id, at, last }, this.abort.signal);
      if (!debate) return;
      this.turns.addPage(debate.turns.nodes, debate.version, !debate.turns.pageInfo.hasPreviousPage);
      this.turnsChanged.update((n) => n + 1);
    });
    // The head is unknown until the first verdict has arrived; that one goes on.
    if (ran && this.head.get()) this.later("turns", 0, () => this.fillTurns());
  }

  private async readSheet(version: number): Promise<Sheet | null> {
    const known = this.sheets.get(version);
    if (known) return known;
    const { debate } = await ask(SHEET, { id: this.id, at: version }, this.abort.signal);
    if (debate) this.keepSheet(debate);
    return debate;
  }

  private keepSheet(sheet: Sheet): void {
    this.sheets.delete(sheet.version);
    this.sheets.set(sheet.version, sheet);
    if (this.sheets.size > KEPT_SHEETS) this.sheets.delete(this.sheets.keys().next().value!);
  }

  /** Reads the verdict of the shown version: one request at a time, the last wish wins. */
  private wantSheet(isForced = false): void {
    const version = this.at.get();
    if (version !== null && !isForced) {
      const known = this.sheets.get(version);
      if (known) return this.sheet.set(known);
    }
    this.sheetWanted = { version };
    if (this.sheetBusy) return;
    this.sheetBusy = true;
    const pause = isForced ? 0 : version === null ? SHEET_PAUSE : STEP_PAUSE;
    const wait = Math.max(0, this.sheetRead + pause - performance.now());
    this.later("sheet", wait, () => void this.readWantedSheet());
  }

  private async readWantedSheet(): Promise<void> {
    const { version } = this.sheetWanted ?? { version: this.at.get() };
    this.sheetWanted = null;
    this.sheetRead = performance.now();
    try {
      const sheet = version === null ? (await ask(SHEET, { id: this.id, at: null }, this.abort.signal)).debate : await this.readSheet(version);
      if (sheet) this.takeSheet(sheet, version);
      this.error.set(null);
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.error.set(toWireError(error));
      if (toWireError(error).isTemporary) this.later("again", 2_000, () => this.wantSheet());
    }
    this.sheetBusy = false;
    if (this.sheetWanted) this.wantSheet();
  }

  private takeSheet(sheet: Sheet, wanted: number | null): void {
    if (wanted === null) {
      // The latest version may be ahead of the events that have arrived; they follow.
      this.keepSheet(sheet);
      this.state.set({ status: sheet.status, outcome: sheet.outcome });
      if (this.at.get() === null) this.sheet.set(sheet);
      else {
        const chosen = this.sheets.get(this.at.get()!);
        if (chosen) this.sheet.set(chosen);
      }
    } else if (this.at.get() === wanted) this.sheet.set(sheet);
    for (const line of sheet.events.nodes) this.lines.set(line.version, line);
    this.linesChanged.update((n) => n + 1);
  }

  /** Runs a task unless the same one is running; returns whether it ran to its end. */
  private async once(name: string, task: () => Promise<void>): Promise<boolean> {
    if (this.pending.has(name)) return false;
    this.pending.add(name);
    try {
      await task();
      return true;
    } catch (error) {
      if (!this.abort.signal.aborted) this.error.set(toWireError(error));
      return false;
    } finally {
      this.pending.delete(name);
    }
  }

  private later(name: string, wait: number, run: () => void): void {
    clearTimeout(this.timers.get(name));
    this.timers.set(name, setTimeout(run, wait));
  }
}

/** Labels of a sheet; arguments that do not count have none. */
export function labelsOf(sheet: Sheet): Labels {
  const labels = new Map();
  for (const argument of sheet.arguments) if (argument.label) labels.set(argument.shortId, argument.label);
  return labels;
}
