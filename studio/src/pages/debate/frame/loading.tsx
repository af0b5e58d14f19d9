// The page before its first data: the same frame, so that nothing moves when the data arrive.

import { explain, Skeleton } from "../../../parts/states";
import type { WireError } from "../../../wire";

export function Loading({ error }: { error: WireError | null }) {
  return (
    <div class="debate-page is-loading" aria-busy="true">
      <header class="debate-head">
        <div class="skeleton" aria-hidden="true"><i class="topic" /></div>
      </header>
      <div class="tabs" aria-hidden="true" />
      <div class="panels">
        <section class="panel panel-verdict"><div class="panel-body">{error ? <Waiting error={error} /> : <Skeleton lines={9} label="Loading the debate" />}</div></section>
        <section class="panel panel-main"><div class="panel-body"><Skeleton lines={7} label="" /></div></section>
        <section class="panel panel-said"><div class="panel-body"><Skeleton lines={12} label="" /></div></section>
      </div>
      <footer class="time" />
    </div>
  );
}

function Waiting({ error }: { error: WireError }) {
  const [title, text] = explain(error, "This debate");
  return <div class="message failed" role="alert"><h3>{title}</h3><p>{text}</p></div>;
}
