import { useEffect, useMemo, useRef } from "preact/hooks";
import { Debate } from "../../model/debate/debate";
import { People } from "../../model/debate/people";
import { setQuery, useTitle } from "../../model/router";
import { useStore } from "../../model/store";
import { Button } from "../../parts/controls";
import { explain, Failed } from "../../parts/states";
import type { WireError } from "../../wire";
import type { PageProperties } from "../routes";
import { Compare } from "./verdict/compare";
import { useKeys } from "./frame/keys";
import { Panels } from "./panels";
import { Printed } from "./printed";
import { Loading } from "./frame/loading";
import { useDebateAddress } from "./state";
import { TimeBar } from "./frame/time-bar";
import { Title } from "./frame/title";
import { useMedia, ViewContext } from "./view";
import { WhatIfBanner } from "./verdict/what-if";

/** Wide enough for verdict, arguments and transcript side by side. */
const WIDE = "(min-width: 66rem)";

export function DebatePage({ parameters }: PageProperties) {
  const address = useDebateAddress();
  const debate = useMemo(() => new Debate(parameters.id!), []);
  useEffect(() => {
    debate.open(address.at);
    return () => debate.close();
  }, []);
  const sheet = useStore(debate.sheet);
  const error = useStore(debate.error);
  const at = useStore(debate.at);
  const isWide = useMedia(WIDE);
  useTitle(sheet?.topic ?? "Debate");
  useVersionInAddress(debate, address.at, at, sheet !== null);
  useKeys(debate);
  const people = useMemo(() => new People(sheet?.participants ?? []), [sheet?.participants.map((it) => it.personaId).join()]);
  const view = useMemo(() => sheet && { debate, sheet, people, isWide }, [sheet, people, isWide]);

  if (!view) return error && !error.isTemporary ? <div class="page"><Failed error={error} what="This debate" /></div> : <Loading error={error} />;
  return (
    <ViewContext.Provider value={view}>
      <div class="debate-page">
        <Title />
        {error && <Trouble debate={debate} error={error} />}
        {address.versus !== null || address.with ? <Compare /> : (
          <>
            <WhatIfBanner />
            <Panels />
          </>
        )}
        <TimeBar />
      </div>
      <Printed />
    </ViewContext.Provider>
  );
}

/** What could not be read. While the connection is lost, the header of the page says so already. */
function Trouble({ debate, error }: { debate: Debate; error: WireError }) {
  if (error.code === "NETWORK") return null;
  const [title, text] = explain(error, "This version");
  return (
    <p class="trouble" role="alert">
      <span><b>{title}.</b> {text}</span>
      <Button onClick={() => debate.refresh()}>Try again</Button>
    </p>
  );
}

/** Keeps the shown version in the address, and follows the address when the reader goes back. */
function useVersionInAddress(debate: Debate, inAddress: number | null, shown: number | null, isReady: boolean): void {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // What this page wrote itself is no wish of the reader, who may be at another event by now.
  const written = useRef<number | null>();
  useEffect(() => {
    if (!isReady || inAddress === written.current) return;
    written.current = inAddress;
    debate.show(inAddress);
  }, [inAddress, isReady]);
  useEffect(() => {
    if (!isReady) return;
    // Browsers limit how often the address may change; the slider moves faster.
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      written.current = debate.at.get();
      setQuery({ at: written.current });
    }, 250);
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [shown, isReady]);
}
