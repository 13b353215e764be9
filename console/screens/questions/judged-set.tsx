import { useState } from 'preact/hooks';
import type { FeedbackJudgments } from 'ragstone/client';
import { Empty, Loading } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { writeAddress } from '../../state/address.js';
import { useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, several, shown } from '../../text/shown.js';

/** The question set made of what was judged, to be saved for `ragstone eval`. */
export function JudgedSet() {
  const { client } = useSession();
  const { value, error, isLoading, reload } = useLoad('judged', (signal) =>
    client.feedbackJudgments({}, { signal }),
  );
  return (
    <section class="panel stack" aria-label="Judged questions" aria-busy={isLoading}>
      <header class="row spread">
        <h2>Question set of what was judged</h2>
        <div class="row">
          <button type="button" class="button" onClick={reload}>
            Read again
          </button>
          {value === undefined || value.questions.length === 0 ? null : <Save questions={value.questions} />}
        </div>
      </header>
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {value === undefined && isLoading ? <Loading what="the judgments" /> : null}
      {value === undefined ? null : <Judged judgments={value} />}
    </section>
  );
}

function Judged({ judgments: { questions, counts, notices } }: { judgments: FeedbackJudgments }) {
  return (
    <>
      <p class="small quiet">
        {several(counts.verdicts, 'verdict')} and {several(counts.clicks, 'click')} on{' '}
        {several(counts.questions, 'question')}; {countOf(counts.tooFew)} with too little to tell,{' '}
        {countOf(counts.gone)} of passages that are gone
      </p>
      {notices.map((notice) => (
        <p key={notice} class="note small">
          {shown(notice)}
        </p>
      ))}
      {questions.length === 0 ? (
        <Empty title="Nothing is judged yet">
          <p>
            <a href="#/search">Search</a>, and say of results whether they are relevant. Each question with a
            relevant passage comes here.
          </p>
        </Empty>
      ) : (
        <ul class="stack">
          {questions.map(({ id, question, gold, alternates }) => (
            <li key={id}>
              <a href={writeAddress({ screen: 'search', query: { q: [question] } })}>
                <bdi>{shown(question)}</bdi>
              </a>
              <p class="small quiet">{[...gold, ...alternates].map(({ path }) => shown(path)).join(', ')}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Saves the set as a file of the kind that `ragstone eval` reads. */
function Save({ questions }: { questions: FeedbackJudgments['questions'] }) {
  const [told, setTold] = useState('');
  const save = (): void => {
    const lines = questions.map((question) => JSON.stringify(question)).join('\n');
    const address = URL.createObjectURL(new Blob([`${lines}\n`], { type: 'application/jsonl' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = 'questions.jsonl';
    link.click();
    URL.revokeObjectURL(address);
    setTold('Saved as questions.jsonl. ragstone eval questions.jsonl measures the index by it.');
  };
  return (
    <>
      <button type="button" class="button main" onClick={save}>
        Save for ragstone eval
      </button>
      <span role="status" class="small quiet">
        {told}
      </span>
    </>
  );
}
