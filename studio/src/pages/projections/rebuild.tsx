/** Dialog that requests a new generation. */
import { useState } from "preact/hooks";
import { ask, toWireError } from "../../model/data";
import type { WireError } from "../../wire";
import { Button, CheckField, SelectField, TextField } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { explain } from "../../parts/states";
import { WAITS } from "./approval";
import { REBUILD, type Projection } from "./projections-documents";

export function Rebuild({ projection, close }: { projection: Projection; close: () => void }) {
  const [workers, setWorkers] = useState("");
  const [allow, setAllow] = useState(false);
  const [awaits, setAwaits] = useState(true);
  const [seconds, setSeconds] = useState("3600");
  const [wrong, setWrong] = useState<string>();
  const [error, setError] = useState<WireError>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const n = workers.trim() ? Number(workers) : undefined;
    if (n !== undefined && (!Number.isInteger(n) || n < 1 || n > 16))
      return setWrong("Enter a whole number from 1 to 16, or leave it empty.");
    setBusy(true);
    setError(undefined);
    try {
      const hold = awaits ? { awaitApproval: true, holdSeconds: Number(seconds) } : {};
      await ask(REBUILD, { input: { name: projection.name, workers: n, allowDeadLetters: allow, ...hold } });
      close();
    } catch (thrown) {
      setError(toWireError(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Rebuild ${projection.name}`} close={close}>
      <form class="stack" onSubmit={submit} noValidate>
        <p>
          All events are processed again into a new generation. Readers see the served one until the new one has caught
          up.
        </p>
        <CheckField
          label="Wait for approval before the switch"
          checked={awaits}
          onChange={setAwaits}
          hint="You can compare all stored verdicts with the new ones first."
        />
        {awaits && (
          <SelectField
            label="Reject it if nobody answers, after it is built, within"
            value={seconds}
            onChange={setSeconds}
            options={WAITS}
          />
        )}
        <TextField
          label="Parallel workers"
          value={workers}
          onInput={(it) => (setWorkers(it), setWrong(undefined))}
          error={wrong}
          hint="1 to 16; one per core if empty."
          attributes={{ inputMode: "numeric", placeholder: "one per core", autocomplete: "off" }}
        />
        <CheckField
          label="Switch even if debates would be missing"
          checked={allow}
          onChange={setAllow}
          hint="Otherwise the new generation waits if it lacks debates whose events cannot be read."
        />
        {error && (
          <p class="wrong" role="alert">
            {explain(error, "The rebuild").join(": ")}
          </p>
        )}
        <div class="dialog-foot">
          <Button onClick={close}>Back</Button>
          <Button type="submit" kind="primary" disabled={busy}>
            {busy ? "Requesting" : "Rebuild"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
