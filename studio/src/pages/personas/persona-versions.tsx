import { hrefWith } from "../../model/router";
import { capital, plural, When } from "../../parts/format";
import type { Persona } from "./personas-documents";

/** Versions, latest first, with what each changed. */
export function Versions({ versions, shown }: { versions: Persona["versions"]; shown: string }) {
  return (
    <section class="stack">
      <h2>
        Versions <span class="soft small">{versions.length}</span>
      </h2>
      <ol class="side-list">
        {versions.map((it, at) => (
          <li key={it.id}>
            <p class="row small">
              {it.versionId === shown ? (
                <b aria-current="true">Version {it.number}, shown</b>
              ) : (
                <a href={hrefWith({ version: at === 0 ? null : it.versionId })}>Version {it.number}</a>
              )}
              <span class="soft">
                first seen <When at={it.firstSeenAt} />, {plural(it.debateCount, "debate")}
              </span>
            </p>
            {it.changes.length > 0 && (
              <details>
                <summary class="small">{plural(it.changes.length, "change")} since the version before</summary>
                <ul class="before-after small">
                  {it.changes.map((change) => (
                    <li key={change.field}>
                      <b>{capital(change.field.split(".").slice(1).join(", ").replaceAll("_", " ") || change.field)}</b>
                      {change.removed.map((text) => (
                        <p key={text}>
                          <del>
                            <span class="visually-hidden">removed: </span>
                            {text}
                          </del>
                        </p>
                      ))}
                      {change.added.map((text) => (
                        <p key={text}>
                          <ins>
                            <span class="visually-hidden">added: </span>
                            {text}
                          </ins>
                        </p>
                      ))}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
