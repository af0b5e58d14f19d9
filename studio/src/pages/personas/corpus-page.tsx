import { useData, usePages } from "../../model/data";
import { useTitle } from "../../model/router";
import { count, plural } from "../../parts/format";
import { Empty, Failed, Skeleton } from "../../parts/states";
import { CORPUS } from "./personas-documents";
import { DocumentList, DocumentReader, NO_PAGE, PassageReader } from "./reader";

/** A shared corpus with its documents, and the document or passage that the address names. */
export function CorpusPage({ id, document, passage }: { id: string; document: string; passage: string }) {
  const { data, error, reload } = useData(CORPUS, id ? { id } : null);
  const corpus = data?.node && "documents" in data.node ? data.node : undefined;
  useTitle(corpus?.name ?? "Library");
  const page = { id, name: corpus?.name ?? "Personas and shared corpora" };
  const reader = passage ? (
    <PassageReader key={passage} id={passage} page={page} />
  ) : document ? (
    <DocumentReader key={document} id={document} page={page} />
  ) : null;
  const top = (
    <p class="overline">
      <a href="/personas">Personas and shared corpora</a>
    </p>
  );
  if (!id)
    return (
      <div class="alone">
        {top}
        {reader}
      </div>
    );
  if (error) return <Failed error={error} retry={reload} what="This corpus" />;
  if (!data)
    return (
      <div class="card">
        <Skeleton lines={14} label="Loading the corpus" />
      </div>
    );
  if (!corpus)
    return (
      <Empty title="There is no such corpus">
        <p>
          No shared corpus <code>{id}</code> is known. <a href="/personas">All personas and corpora</a>
        </p>
      </Empty>
    );
  return (
    <article>
      <div class="page-head">
        <div class="persona-name">
          {top}
          <h1>{corpus.name}</h1>
          <p>{corpus.about}</p>
          <p class="small soft">
            Shared corpus: common knowledge of the participants, and evidence for fact checks.{" "}
            {plural(corpus.documentCount, "document")}, {count(corpus.passageCount)} passages.
          </p>
        </div>
      </div>
      <div class={reader ? "persona" : "persona single"}>
        {reader && <div class="persona-main">{reader}</div>}
        <div class="persona-side">
          <Documents id={id} total={corpus.documentCount} shown={document} />
        </div>
      </div>
    </article>
  );
}

function Documents({ id, total, shown }: { id: string; total: number; shown: string }) {
  const list = usePages(CORPUS, { id }, (data) =>
    data.node && "documents" in data.node ? data.node.documents : NO_PAGE,
  );
  return (
    <DocumentList
      list={list}
      total={total}
      shown={shown}
      empty="The library contains none of its documents yet. The command faultline corpus ingest reads them."
    />
  );
}
