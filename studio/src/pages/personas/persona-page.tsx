/** One persona: contract, voice, versions with their changes, documents and debates. */
import { useData, usePages } from "../../model/data";
import { hrefWith, useQueryValue, useTitle } from "../../model/router";
import { capital, plural, When } from "../../parts/format";
import { Empty, Failed, More, Skeleton } from "../../parts/states";
import { RegimeTag, StatusTag } from "../../parts/verdict";
import type { PageProperties } from "../routes";
import { DEBATES, DOCUMENTS, PERSONA, type Persona } from "./personas-documents";
import { Versions } from "./persona-versions";
import { DocumentList, DocumentReader, NO_PAGE, PassageReader } from "./reader";

export function PersonaPage({ parameters }: PageProperties) {
  const id = parameters.id!;
  const [version] = useQueryValue("version");
  const [document] = useQueryValue("document");
  const [passage] = useQueryValue("passage");
  const { data, error, loading, reload } = useData(PERSONA, { id, version: version || undefined });
  const persona = data?.persona;
  useTitle(persona?.name ?? "Persona");
  if (error) return <Failed error={error} retry={reload} what="This persona" />;
  if (!data)
    return (
      <>
        <div class="page-head">
          <div class="persona-name">
            <Skeleton lines={2} />
          </div>
        </div>
        <div class="card">
          <Skeleton lines={18} label="Loading the persona" />
        </div>
      </>
    );
  if (!persona)
    return (
      <Empty title="There is no such persona">
        <p>
          No persona <code>{id}</code>
          {version && (
            <>
              {" "}
              with version <code>{version}</code>
            </>
          )}{" "}
          is known. <a href="/personas">All personas</a>
        </p>
      </Empty>
    );
  return (
    <article aria-busy={loading}>
      <div class="page-head">
        <div class="persona-name">
          <p class="overline">
            <a href="/personas">Personas</a>
          </p>
          <h1>{persona.name}</h1>
          <p>{persona.about}</p>
        </div>
        <a
          class="button no-print"
          href={`/start?${new URLSearchParams({ personas: id, ...(persona.topics[0] && { topic: persona.topics[0] }) })}`}
        >
          Debate with {persona.name.split(" ")[0]}
        </a>
      </div>
      {version && (
        <p class="message note small">
          You see version {persona.version} (<code>{persona.versionId}</code>), which is not necessarily the current
          one. <a href={hrefWith({ version: null })}>Show the current version</a>
        </p>
      )}
      <div class="persona">
        <div class="persona-main">
          {passage ? (
            <PassageReader key={passage} id={passage} page={{ id, name: persona.name }} />
          ) : document ? (
            <DocumentReader key={document} id={document} page={{ id, name: persona.name }} />
          ) : (
            <>
              <Contract persona={persona} />
              <Voice voice={persona.voice} />
            </>
          )}
        </div>
        <div class="persona-side">
          {!passage && !document && <Versions versions={persona.versions} shown={persona.versionId} />}
          <Documents id={id} shown={document} />
          <Debates id={id} />
        </div>
      </div>
    </article>
  );
}

function Contract({ persona: { contract, topics } }: { persona: Persona }) {
  const entries: readonly (readonly [string, string])[] = [
    ["Personality", contract.personality],
    ["Bias", contract.bias],
    ["Stakes", contract.stakes],
    ["What counts as knowledge", contract.epistemology],
    ["Evidence it accepts", contract.evidencePolicy],
    ["Time horizon", contract.timeHorizon],
  ];
  return (
    <section class="stack">
      <h2>Contract</h2>
      <dl class="entries">
        {topics.length > 0 && (
          <div>
            <dt>Wrote about</dt>
            <dd>{topics.join(" · ")}</dd>
          </div>
        )}
        {entries
          .filter(([, text]) => text)
          .map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="words">{text}</dd>
            </div>
          ))}
      </dl>
      {contract.flipConditions.length > 0 && (
        <>
          <h3>What would change its mind</h3>
          <ul class="lines-list words">
            {contract.flipConditions.map((it) => (
              <li key={it}>{it}</li>
            ))}
          </ul>
        </>
      )}
      {contract.anchors.length > 0 && (
        <details>
          <summary>
            <b>{plural(contract.anchors.length, "sentence")} of its writings</b>{" "}
            <span class="soft">on which contract and voice rest, word for word</span>
          </summary>
          <ul class="lines-list words">
            {contract.anchors.map((it) => (
              <li key={it}>
                <q>{it}</q>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The voice is JSON without a fixed shape: lists, texts, and groups of them. */
function Voice({ voice }: { voice: unknown }) {
  if (typeof voice !== "object" || voice === null || !Object.keys(voice).length) return null;
  return (
    <section class="stack">
      <h2>Voice</h2>
      <dl class="entries">
        {Object.entries(voice).map(([name, value]) => (
          <div key={name}>
            <dt>{capital(name.replaceAll("_", " "))}</dt>
            <dd>
              <Value value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Value({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    const texts = value.map(String);
    // Words and short phrases stand side by side, sentences below each other.
    if (texts.every((it) => it.length < 32))
      return (
        <ul class="row phrases">
          {texts.map((it) => (
            <li key={it} class="tag">
              {it}
            </li>
          ))}
        </ul>
      );
    return (
      <ul class="lines-list words">
        {texts.map((it) => (
          <li key={it}>{it}</li>
        ))}
      </ul>
    );
  }
  if (typeof value === "object" && value !== null)
    return (
      <dl class="entries inner">
        {Object.entries(value).map(([name, it]) => (
          <div key={name}>
            <dt>{capital(name.replaceAll("_", " "))}</dt>
            <dd>
              <Value value={it} />
            </dd>
          </div>
        ))}
      </dl>
    );
  return <span class="words">{String(value)}</span>;
}

function Documents({ id, shown }: { id: string; shown?: string | undefined }) {
  const list = usePages(DOCUMENTS, { id }, (data) => data.persona?.documents ?? NO_PAGE);
  return <DocumentList list={list} shown={shown} empty="The library contains none of its documents yet." />;
}

function Debates({ id }: { id: string }) {
  const list = usePages(DEBATES, { id }, (data) => data.persona?.debates ?? NO_PAGE);
  return (
    <section class="stack">
      <h2>Debates</h2>
      {list.error && <Failed error={list.error} retry={list.reload} what="The list of debates" />}
      {!list.nodes && !list.error && <Skeleton lines={6} />}
      {list.nodes?.length === 0 && <p class="soft small">It has not taken part in a debate.</p>}
      {list.nodes && list.nodes.length > 0 && (
        <ul class="side-list">
          {list.nodes.map((it) => (
            <li key={it.id}>
              <a class="words" href={`/debates/${it.id}`}>
                {it.topic}
              </a>
              <p class="row small">
                <RegimeTag kind={it.regime.kind} />
                {it.status !== "CONCLUDED" && <StatusTag status={it.status} />}
                <span class="soft">
                  {it.engine}, <When at={it.openedAt} />
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
      <More {...list} />
    </section>
  );
}
