/** A generation that waits for approval: how long it waits, what it would change, and the answer. */
import { useEffect, useState } from "preact/hooks";
import { ask, toWireError } from "../../model/data";
import { useMay } from "../../model/role";
import { useQueryValue } from "../../model/router";
import type { WireError } from "../../wire";
import { Button, SelectField } from "../../parts/controls";
import { Confirm } from "../../parts/dialog";
import { explain } from "../../parts/states";
import { GenerationDifferences } from "./differences";
import { APPROVE, HOLD, REJECT, type Generation } from "./projections-documents";

export const WAITS: readonly (readonly [seconds: string, label: string])[] = [
  ["900", "15 minutes"],
  ["3600", "1 hour"],
  ["14400", "4 hours"],
  ["86400", "1 day"],
];

export function Approval({ generation, changed }: { generation: Generation; changed: () => void }) {
  const [compares, setCompares] = useQueryValue("compare");
  const [asked, setAsked] = useState<"approve" | "reject" | null>(null);
  const [seconds, setSeconds] = useState("3600");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<readonly [what: string, error: WireError]>();
  const mayOperate = useMay("ADMIN");
  const isOpen = compares === String(generation.number);
  const run = async (what: string, call: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await call();
    } catch (thrown) {
      setError([what, toWireError(thrown)]);
    }
    setBusy(false);
    setAsked(null);
    changed();
  };
  const hold = (time: number) =>
    run("The time", () => ask(HOLD, { input: { generationId: generation.id, seconds: time } }));
  const answer = (document: typeof APPROVE | typeof REJECT) =>
    run("The answer", () =>
      ask<unknown, { input: { generationId: string } }>(document, { input: { generationId: generation.id } }),
    );
  return (
    <div class="stack approval">
      <p>
        It is built and kept up to date. Readers see the served generation until you approve this one.{" "}
        {generation.heldUntil && (
          <>
            Without an answer it is rejected in <Remaining until={generation.heldUntil} />.
          </>
        )}
      </p>
      {!mayOperate && <p class="soft small">Approving it takes the token of an administrator.</p>}
      <div class="row no-print approval-buttons" hidden={!mayOperate}>
        <Button onClick={() => setCompares(isOpen ? null : String(generation.number))}>
          {isOpen ? "Hide the differences" : "Show what would change"}
        </Button>
        <Button kind="primary" disabled={busy} onClick={() => setAsked("approve")}>
          Approve
        </Button>
        <Button kind="danger" disabled={busy} onClick={() => setAsked("reject")}>
          Reject
        </Button>
      </div>
      <div class="row no-print approval-wait" hidden={!mayOperate}>
        <SelectField label="Let it wait from now for" value={seconds} onChange={setSeconds} options={WAITS} />
        <Button disabled={busy} onClick={() => void hold(Number(seconds))}>
          Extend the time
        </Button>
      </div>
      {error && (
        <p class="wrong" role="alert">
          {explain(error[1], error[0]).join(": ")}
        </p>
      )}
      {isOpen && mayOperate && <GenerationDifferences generation={generation} />}
      {asked === "approve" && (
        <Confirm
          title={`Approve generation ${generation.number}?`}
          action="Approve and switch"
          busy={busy}
          confirm={() => void answer(APPROVE)}
          close={() => setAsked(null)}
        >
          <p>
            Lists, searches and stored verdicts are read from it from now on. The generation served before is deleted
            after a while; going back then needs another rebuild with the earlier version of the service.
          </p>
          {!isOpen && <p>You have not looked at what would change.</p>}
        </Confirm>
      )}
      {asked === "reject" && (
        <Confirm
          title={`Reject generation ${generation.number}?`}
          action="Reject and delete"
          danger
          busy={busy}
          confirm={() => void answer(REJECT)}
          close={() => setAsked(null)}
        >
          <p>What was built is deleted. The served generation stays as it is, and the log is not affected.</p>
        </Confirm>
      )}
    </div>
  );
}

/** Time that remains, at the steps that matter. It is no live region: it changes too often. */
function Remaining({ until }: { until: string }) {
  const [now, tick] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.round((Date.parse(until) - now) / 1_000));
  const text =
    left < 120
      ? `${left} s`
      : left < 7_200
        ? `${Math.round(left / 60)} min`
        : `${Math.floor(left / 3_600)} h ${Math.floor((left % 3_600) / 60)} min`;
  return (
    <time dateTime={until} class="number">
      {text}
    </time>
  );
}
