/** Agreement of personas, pair by pair: a matrix that is a table. */
import { useData } from "../../model/data";
import { percent } from "../../parts/format";
import { shade } from "./crux-map";
import { Nothing, useFilter } from "./filters";
import { Answer, Scrolls, Values } from "./frame";
import { AGREEMENTS, type Agreement } from "./statistics-documents";

export function Agreements() {
  const loaded = useData(AGREEMENTS, { debates: useFilter() });
  return (
    <Answer loaded={loaded}>
      {({ personaAgreements: pairs }) => {
        if (!pairs.length)
          return (
            <Nothing
              title="No two personas took sides on the same question"
              hint="Sides are taken in disputes: start a debate, for example with the engine “disputes”."
            />
          );
        const names = new Map(
          pairs.flatMap(
            (it) =>
              [
                [it.oneId, it.oneName],
                [it.otherId, it.otherName],
              ] as const,
          ),
        );
        const personas = [...names].sort((a, b) => a[1].localeCompare(b[1]));
        const known = new Map(
          pairs.flatMap(
            (it) =>
              [
                [it.oneId + " " + it.otherId, it],
                [it.otherId + " " + it.oneId, it],
              ] as const,
          ),
        );
        return (
          <>
            <p class="small">
              Share of the questions on which both hold a side, yes or no, and it is the same; below it their number.
            </p>
            <Scrolls label="Agreement by pair">
              <table class="heat">
                <thead>
                  <tr>
                    <th scope="col">Persona</th>
                    {personas.map(([id, name]) => (
                      <th key={id} scope="col">
                        <span>{name}</span>
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {personas.map(([one, name]) => (
                    <tr key={one}>
                      <th scope="row">
                        <a href={`/personas/${one}`}>{name}</a>
                      </th>
                      {personas.map(([other]) => (
                        <Cell key={other} pair={known.get(one + " " + other)} />
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolls>
            {pairs.length === 500 && <p class="small soft">Only the 500 pairs with the most questions are listed.</p>}
            <Values
              of="Pairs of personas"
              head={["Persona", "and", "Agreement", "Questions", "Agreed", "Opposed", "Debates"]}
              rows={pairs.map((it) => [
                it.oneName,
                it.otherName,
                percent(it.agreement),
                it.questionCount,
                it.agreedCount,
                it.opposedCount,
                it.debateCount,
              ])}
            />
          </>
        );
      }}
    </Answer>
  );
}

function Cell({ pair }: { pair: Agreement | undefined }) {
  if (!pair) return <td />;
  const { agreement, agreedCount, questionCount, debateCount } = pair;
  const lean = 2 * agreement - 1;
  return (
    <td
      style={{ background: shade(lean < 0 ? "--bad" : "--good", Math.abs(lean)) }}
      title={`agreed on ${agreedCount} of ${questionCount}, in ${debateCount} debates`}
    >
      {percent(agreement)}
      <small>{questionCount}</small>
    </td>
  );
}
