/** Everybody who can take part in a debate, by topic. */
import { useData } from "../../model/data";
import { hrefWith, useQueryValue, useTitle } from "../../model/router";
import { count, plural } from "../../parts/format";
import { Empty, Failed, Skeleton } from "../../parts/states";
import { CorpusPage } from "./corpus-page";
import { PERSONAS } from "./personas-documents";

/** The list, or what a shared corpus contains: it has no path of its own, because it is no persona. */
export function PersonasPage() {
  const [corpus] = useQueryValue("corpus");
  const [document] = useQueryValue("document");
  const [passage] = useQueryValue("passage");
  return corpus || document || passage ? (
    <CorpusPage key={corpus} id={corpus} document={document} passage={passage} />
  ) : (
    <List />
  );
}

function List() {
  useTitle("Personas");
  const { data, error, reload } = useData(PERSONAS, {});
  const topics = [...new Set(data?.personas.flatMap((it) => it.topics))];
  const others = data?.personas.filter((it) => !it.topics.length) ?? [];
  const groups = [
    ...topics.map((topic) => ({ topic, personas: data!.personas.filter((it) => it.topics[0] === topic) })),
    { topic: "", personas: others },
  ].filter((it) => it.personas.length);
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Personas</h1>
          <p>
            A persona argues from what it wrote. Its contract says what it believes and what would change its mind; its
            voice says how it speaks.
          </p>
        </div>
      </div>
      {error && <Failed error={error} retry={reload} what="The list" />}
      {!data && !error && (
        <div class="card">
          <Skeleton lines={15} label="Loading personas" />
        </div>
      )}
      {data?.personas.length === 0 && (
        <Empty title="No personas">
          <p>
            Persona files are read from the folder <code>personas</code> of the service. Create one with{" "}
            <code>faultline persona draft</code>.
          </p>
        </Empty>
      )}
      {groups.map(({ topic, personas }) => (
        <section key={topic} class="persona-group">
          <div class="row spread">
            <h2>{topic || "Other topics"}</h2>
            {topic && (
              <a
                class="small no-print"
                href={`/start?${new URLSearchParams({
                  topic,
                  personas: personas
                    .slice(0, 3)
                    .map((it) => it.id)
                    .join(","),
                })}`}
              >
                Debate this
              </a>
            )}
          </div>
          <ul class="persona-cards">
            {personas.map((it) => {
              const debates = it.versions.reduce((sum, version) => sum + version.debateCount, 0);
              return (
                <li key={it.id} class="card persona-card">
                  <h3>
                    <a href={`/personas/${encodeURIComponent(it.id)}`}>{it.name}</a>
                  </h3>
                  <p>{it.about}</p>
                  <p class="small soft">
                    {plural(debates, "debate")}, version {it.version}
                    {it.versions.length > 1 ? ` of ${it.versions.length}` : ""}
                  </p>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
      {data && data.sharedCorpora.length > 0 && (
        <section class="persona-group">
          <h2>Shared corpora</h2>
          <ul class="persona-cards">
            {data.sharedCorpora.map((it) => (
              <li key={it.id} class="card persona-card">
                <h3>
                  <a href={hrefWith({ corpus: it.id })}>{it.name}</a>
                </h3>
                <p>{it.about}</p>
                <p class="small soft">
                  {plural(it.documentCount, "document")}, {count(it.passageCount)} passages
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
