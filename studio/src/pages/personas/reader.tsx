/** Documents of the library: the list, a document with its passages in order, and one passage by its address. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useData, usePages, type Pages } from "../../model/data";
import { hrefWith } from "../../model/router";
import { capital, count, plural } from "../../parts/format";
import { Empty, Failed, More, Skeleton } from "../../parts/states";
import { DOCUMENT, PASSAGE, PASSAGES, type DocumentHead, type DocumentLine } from "./personas-documents";

export const NO_PAGE = { nodes: [], pageInfo: { endCursor: null, hasNextPage: false } };

/** Address of a document or a passage on this page. Without either, the page as it was before. */
const hrefOf = (document: string | null, passage: string | null = null) => hrefWith({ document, passage });

/** Whose documents the page shows: a persona or a shared corpus; without id, anybody's. */
interface Page {
  id: string;
  name: string;
}

/** Documents to choose from. `shown` is the id of the one that is read. */
export function DocumentList({
  list,
  total,
  shown,
  empty,
}: {
  list: Pages<DocumentLine>;
  total?: number;
  shown?: string | undefined;
  empty: string;
}) {
  const number = total ?? (list.nodes && !list.hasMore ? list.nodes.length : undefined);
  return (
    <section class="stack">
      <h2>Documents {number !== undefined && <span class="soft small">{count(number)}</span>}</h2>
      {list.error && <Failed error={list.error} retry={list.reload} what="The list of documents" />}
      {!list.nodes && !list.error && <Skeleton lines={6} label="Loading documents" />}
      {list.nodes?.length === 0 && <p class="soft small">{empty}</p>}
      {list.nodes && list.nodes.length > 0 && (
        <ul class="side-list">
          {list.nodes.map((it) => (
            <li key={it.id}>
              <a class="words" href={hrefOf(it.id)} aria-current={it.id === shown ? "true" : undefined}>
                {it.title}
              </a>
              <span class="soft small">
                {capital(it.kind)}, {it.source}, <Day at={it.date} />, {plural(it.passageCount, "passage")}
              </span>
            </li>
          ))}
        </ul>
      )}
      <More {...list} />
    </section>
  );
}

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const Day = ({ at }: { at: string }) => <time dateTime={at}>{day.format(Date.parse(at))}</time>;

/** One document from its start; each passage links to its address. */
export function DocumentReader({ id, page }: { id: string; page: Page }) {
  const list = usePages(PASSAGES, { id }, (data) =>
    data.node && "passages" in data.node ? data.node.passages : NO_PAGE,
  );
  const { data, error, reload } = useData(DOCUMENT, { id });
  const document = data?.node && "title" in data.node ? (data.node as DocumentHead) : null;
  if (error) return <Failed error={error} retry={reload} what="The document" />;
  if (data && !document) return <Missing what="document" page={page} />;
  if (!document) return <Waiting />;
  return (
    <section class="stack reader">
      <Head title={document.title} page={page}>
        {capital(document.kind)}, {document.source}, <Day at={document.date} />,{" "}
        {plural(document.passageCount, "passage")}
        <Owner of={document} page={page} />
      </Head>
      {!list.nodes && !list.error && <Skeleton lines={14} label="Loading the text" />}
      <ol class="passages">
        {list.nodes?.map((it) => (
          <li key={it.id} id={`passage-${it.ordinal + 1}`}>
            <a class="passage-number" href={hrefOf(null, it.id)} aria-label={`Address of passage ${it.ordinal + 1}`}>
              {it.ordinal + 1}
            </a>
            <p class="words" dir="auto">
              {it.text}
            </p>
          </li>
        ))}
      </ol>
      {list.error && <Failed error={list.error} retry={list.reload} what="The text" />}
      <More {...list} />
    </section>
  );
}

/** One passage, with the ways to its neighbours and to the whole document. */
export function PassageReader({ id, page }: { id: string; page: Page }) {
  const { data, error, loading, reload } = useData(PASSAGE, { id });
  const passage = data?.passage;
  if (error) return <Failed error={error} retry={reload} what="The passage" />;
  if (!data) return <Waiting />;
  if (!passage) return <Missing what="passage" page={page} />;
  const { document } = passage;
  const at = passage.ordinal + 1;
  return (
    <section class="stack reader" aria-busy={loading}>
      <Head title={passage.title} page={page}>
        Passage {count(at)}
        {document && <> of {count(document.passageCount)}</>}; {passage.kind}, {passage.source},{" "}
        <Day at={passage.date} />
        <Owner of={passage} page={page} />
      </Head>
      <blockquote class="words passage-alone" dir="auto">
        {passage.text}
      </blockquote>
      <nav class="row spread no-print" aria-label="Passages of the document">
        {passage.previousId ? (
          <a class="button" rel="prev" href={hrefOf(null, passage.previousId)}>
            ← Passage {count(at - 1)}
          </a>
        ) : (
          <span class="soft small">This is the first passage.</span>
        )}
        {document ? (
          <a href={`${hrefOf(document.id)}#passage-${at}`}>Whole document</a>
        ) : (
          <span class="soft small">The document was removed from the library.</span>
        )}
        {passage.nextId ? (
          <a class="button" rel="next" href={hrefOf(null, passage.nextId)}>
            Passage {count(at + 1)} →
          </a>
        ) : (
          <span class="soft small">This is the last passage.</span>
        )}
      </nav>
      <p class="small soft">
        Id of the passage, as in receipts of model replies: <code>{passage.id}</code>
      </p>
    </section>
  );
}

function Head({ title, page, children }: { title: string; page: Page; children: ComponentChildren }) {
  const head = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a small screen the link that led here is far below. Back and forward restore their own place.
    const { scroll } = (history.state ?? {}) as { scroll?: number };
    const { top } = head.current!.getBoundingClientRect();
    if (scroll === undefined && !location.hash && (top < 0 || top > innerHeight / 2)) head.current!.scrollIntoView();
  }, []);
  return (
    <header class="stack reader-head" ref={head}>
      <p class="small no-print">
        <a href={hrefOf(null)}>← {page.name}</a>
      </p>
      <h2>{title}</h2>
      <p class="soft small">{children}</p>
    </header>
  );
}

/** Author or shared corpus, unless the page is theirs. */
function Owner({
  of: { personaId, persona, sharedCorpus },
  page,
}: {
  page: Page;
  of: { personaId: string; persona: { name: string } | null; sharedCorpus: { id: string; name: string } | null };
}) {
  if (personaId === page.id) return null;
  if (sharedCorpus)
    return (
      <>
        {" "}
        · shared corpus{" "}
        <a href={`/personas?${new URLSearchParams({ corpus: sharedCorpus.id })}`}>{sharedCorpus.name}</a>
      </>
    );
  return (
    <>
      {" "}
      · by{" "}
      {persona ? <a href={`/personas/${encodeURIComponent(personaId)}`}>{persona.name}</a> : <code>{personaId}</code>}
    </>
  );
}

function Waiting() {
  return (
    <div class="card">
      <Skeleton lines={14} label="Loading the text" />
    </div>
  );
}

function Missing({ what, page }: { what: "document" | "passage"; page: Page }) {
  return (
    <Empty title={`The library contains no such ${what}`}>
      <p>
        It was removed or replaced when documents were read anew, or the address is incomplete.{" "}
        <a href={hrefOf(null)}>{page.name}</a>
      </p>
    </Empty>
  );
}
