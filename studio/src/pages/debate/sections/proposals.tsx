// Proposals of a debate that refines one: thesis, criticism, the next version, and who accepts it.

import { ROUNDS } from "../../../model/debate/section-documents";
import { count, percent, RECOMMENDATION } from "../../../model/debate/words";
import { Empty } from "../../../parts/states";
import type { DebateRoundsQuery } from "../../../wire/operations";
import { TurnLink, Who } from "../links";
import { Refs, sentence } from "../refs";
import { Section } from "./section";
import { useSection } from "../view";

type Read = NonNullable<DebateRoundsQuery["debate"]>;
type Proposal = Read["proposals"][number];

export function Proposals() {
  return (
    <Section loaded={useSection(ROUNDS)} what="The proposals">
      {({ debate }) => {
        if (!debate?.proposals.length) return <Empty title="No proposal yet"><p>The first participant proposes an answer to the topic; the others criticize it.</p></Empty>;
        const answered = new Map(debate.proposals.flatMap((proposal) => proposal.changes.map((change) => [change.issueId, proposal.shortId] as const)));
        const found = debate.refinement;
        return (
          <>
            {found && found.proposalCount > 1 && <p class="soft small">{count(found.proposalCount, "proposal")}; {found.answeredIssueCount} of {count(found.issueCount, "issue")} answered by a change. From first to last {found.addedWordCount} words were added and {found.removedWordCount} removed.</p>}
            {debate.proposals.map((proposal) => <ProposalCard key={proposal.shortId} proposal={proposal} answered={answered} />)}
          </>
        );
      }}
    </Section>
  );
}

function ProposalCard({ proposal, answered }: { proposal: Proposal; answered: ReadonlyMap<string, string> }) {
  const { criticism } = proposal;
  return (
    <article class="card room" id={`proposal-${proposal.shortId}`}>
      <header>
        <p class="row small"><b>{proposal.shortId}</b> <Who id={proposal.speakerId} /> <TurnLink id={proposal.turnId} /> {proposal.revisesId && <span class="soft">revises {proposal.revisesId}{proposal.similarity !== null && `, ${percent(proposal.similarity)} alike`}</span>} {proposal.confidence < 1 && <span class="soft">{percent(proposal.confidence)} sure</span>}</p>
      </header>
      <p class="words" dir="auto">{proposal.text}</p>
      <dl class="notes-list">
        {proposal.reasoning && <><dt>Reasoning</dt><dd dir="auto">{proposal.reasoning}</dd></>}
        {proposal.changes.length > 0 && <><dt>Changes</dt><dd><ul>{proposal.changes.map((it) => <li key={it.issueId + it.text}><b>{it.issueId}</b> <span dir="auto">{it.text}</span></li>)}</ul></dd></>}
        {criticism && (
          <>
            <dt>Criticism</dt>
            <dd>
              <p>{sentence(`the critic ${RECOMMENDATION[criticism.recommendation]}`)} <TurnLink id={criticism.turnId} /></p>
              <ul>{criticism.issues.map((it) => (
                <li key={it.shortId}><b>{it.shortId}</b> <span class="tag">{it.severity.toLowerCase()}</span> {answered.has(it.shortId) ? <span class="tag good">✓ answered in {answered.get(it.shortId)}</span> : <span class="tag open">? open</span>} <span dir="auto">{it.text}</span></li>
              ))}</ul>
              {criticism.contradictions.length > 0 && <p class="small">Contradictions: {criticism.contradictions.join("; ")}</p>}
              {criticism.edgeCases.length > 0 && <p class="small">Edge cases: {criticism.edgeCases.join("; ")}</p>}
            </dd>
          </>
        )}
        {proposal.acceptances.length > 0 && <><dt>Accepted by</dt><dd>{proposal.acceptances.map((it) => <p key={it.personaId}><Who id={it.personaId} /> <TurnLink id={it.turnId} />: <span dir="auto">{it.words}</span> <span class="soft"><Refs text={sentence(it.reason)} /></span></p>)}</dd></>}
      </dl>
    </article>
  );
}
