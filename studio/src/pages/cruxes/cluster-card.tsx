import { plural, When } from "../../parts/format";
import { Speaker } from "../../parts/mark";
import { SideTag } from "../../parts/verdict";
import { cruxHref, ORIGIN } from "./crux-card";
import type { Cluster } from "./cruxes-documents";

/** A question that several debates turn on: who took which side in which of them, and who changed sides. */
export function ClusterCard({ cluster }: { cluster: Cluster }) {
  const members = new Map(cluster.members.nodes.map((it, at) => [it.id, { ...it, number: at + 1 }]));
  const changed = cluster.sidesByPersona.filter((it) => it.changed).length;
  const wordings = [...new Set(cluster.members.nodes.map((it) => it.question))].filter((it) => it !== cluster.question);
  return (
    <article class="card crux-card">
      <h2>{cluster.question}</h2>
      <p class="row small">
        <b>{plural(cluster.debateCount, "debate")}</b>
        {cluster.origins.map((it) => (
          <span key={it} class="tag">
            {ORIGIN[it]}
          </span>
        ))}
        <span class="soft">
          {plural(cluster.wordingCount, "wording")}
          {cluster.wordingCount > 1 && `, similarity at least ${cluster.cohesion.least.toFixed(2)}`}
        </span>
        <span class="soft">
          <When at={cluster.firstSeen} /> to <When at={cluster.lastSeen} />
        </span>
        {changed > 0 && (
          <span class="tag open">
            ⇄ {changed === 1 ? "1 persona changed sides" : `${changed} personas changed sides`}
          </span>
        )}
      </p>
      <div class="scrolls" tabIndex={0} role="region" aria-label={`Sides on: ${cluster.question}`}>
        <table class="cluster-sides">
          <thead>
            <tr>
              <th scope="col">Persona</th>
              <th scope="col">Sides, with the numbers of the cruxes</th>
            </tr>
          </thead>
          <tbody>
            {cluster.sidesByPersona.map((it, place) => (
              <tr key={it.personaId}>
                <th scope="row">
                  <Speaker
                    place={place}
                    name={it.persona?.name ?? it.personaId}
                    href={it.persona ? `/personas/${it.personaId}` : undefined}
                  />
                  {it.changed && <span class="tag open">⇄ changed sides</span>}
                </th>
                <td>
                  <ol class="row">
                    {runs(it.sides).map(({ side, at }) => (
                      <li key={at[0]!.cruxId + at[0]!.turnId} class="run">
                        <SideTag side={side} />{" "}
                        <small>
                          {at.map((each) => {
                            const member = members.get(each.cruxId);
                            const number = member?.number ?? "·";
                            return (
                              <a
                                key={each.cruxId + each.turnId}
                                class="soft"
                                href={`/debates/${each.debateId}#${each.turnId}`}
                                title={`${member?.debate.engine ?? "debate"}, turn ${each.turnId}`}
                                aria-label={`${number}, turn ${each.turnId}`}
                              >
                                {number}
                              </a>
                            );
                          })}
                        </small>
                      </li>
                    ))}
                  </ol>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details>
        <summary class="small">
          {plural(cluster.memberCount, "crux", "cruxes")} in {plural(cluster.debateCount, "debate")}
        </summary>
        <ol class="stack small members numbered">
          {cluster.members.nodes.map((it) => (
            <li key={it.id}>
              <a href={cruxHref(it.debateId, it.shortId)}>{it.debate.topic}</a>{" "}
              <span class="soft">
                ({it.debate.engine}, <When at={it.debate.openedAt} />
                {it.open ? "" : ", resolved"})
              </span>
            </li>
          ))}
          {cluster.memberCount > cluster.members.nodes.length && (
            <li class="soft">and {cluster.memberCount - cluster.members.nodes.length} more</li>
          )}
        </ol>
      </details>
      {wordings.length > 0 && (
        <details>
          <summary class="small">{plural(wordings.length, "other wording")}</summary>
          <ul class="stack small words members">
            {wordings.map((it) => (
              <li key={it}>{it}</li>
            ))}
          </ul>
        </details>
      )}
      {cluster.neighbours.length > 0 && (
        <details>
          <summary class="small">
            {plural(cluster.neighbours.length, "similar question")} that{" "}
            {cluster.neighbours.length === 1 ? "is" : "are"} not the same
          </summary>
          <ul class="stack small members">
            {cluster.neighbours.map((it) => (
              <li key={it.question}>
                <span class="words">{it.question}</span>{" "}
                <span class="soft">
                  ({it.relation === "OPPOSITE" ? "the opposite, " : ""}similarity {it.similarity.toFixed(2)},{" "}
                  {plural(it.debateCount, "debate")})
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
}

type Taken = Cluster["sidesByPersona"][number]["sides"][number];

/** Consecutive debates with the same side, together. */
function runs(sides: readonly Taken[]): { side: Taken["side"]; at: Taken[] }[] {
  const all: { side: Taken["side"]; at: Taken[] }[] = [];
  for (const taken of sides) {
    const last = all.at(-1);
    if (last?.side === taken.side) last.at.push(taken);
    else all.push({ side: taken.side, at: [taken] });
  }
  return all;
}
