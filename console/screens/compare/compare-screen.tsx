import { useRef, useState } from 'preact/hooks';
import { Empty, Loading, Told } from '../../parts/basics.js';
import { Failure } from '../../parts/failure.js';
import { type Address, firstOf, withQuery } from '../../state/address.js';
import { may, useSession } from '../../state/session.js';
import { go } from '../../state/use-address.js';
import { useFirstField } from '../../state/use-first-field.js';
import { asServiceError, useLoad } from '../../state/use-load.js';
import { several } from '../../text/shown.js';
import { filtersOf } from '../search/search-request.js';
import { ComparedSearch } from './compared-search.js';
import { ComparedSet } from './compared-set.js';
import { CHOICES, placed, type Question, readQuestions, SAMPLE, type Side, settingsOf } from './settings.js';

/** Two settings on one question, or on a set of them: what moved, what came, what went, and whether it is better. */
export function CompareScreen({ address }: { address: Address }) {
  const session = useSession();
  const { client } = session;
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const query = firstOf(address, 'q').trim();
  const a = settingsOf(address, 'a');
  const b = settingsOf(address, 'b');
  const filters = filtersOf(address);
  const isSet = questions.length > 0;
  const asked = isSet ? { questions: [...questions] } : { query };
  const key = isSet || query !== '' ? JSON.stringify([asked, a, b, filters]) : undefined;
  const { value, error, isLoading, reload } = useLoad(key, (signal) =>
    client.compare({ ...asked, a, b, ...filters }, { signal, timeoutMs: LONG_MS }),
  );
  return (
    <div class="stack">
      <h1>Compare two settings</h1>
      <div class="panel stack">
        <QueryField key={query} address={address} isOff={isSet} />
        {may(session, 'maintain') ? <SetField questions={questions} onQuestions={setQuestions} /> : null}
        <div class="sides">
          <SettingsField address={address} side="a" />
          <SettingsField address={address} side="b" />
        </div>
      </div>
      <Told>
        {isLoading
          ? 'Comparing'
          : value === undefined
            ? ''
            : `${several(value.searches.length, 'search', 'searches')} compared`}
      </Told>
      {error === undefined ? null : <Failure error={error} retry={reload} />}
      {isLoading && value === undefined ? <Loading what="both sides" /> : null}
      {key === undefined ? (
        <Empty title="One question, two settings">
          <p>State a question above. What differs between both sides is marked.</p>
        </Empty>
      ) : null}
      {value === undefined ? null : (
        <div class={isLoading ? 'busy' : ''}>
          {isSet ? (
            <ComparedSet comparison={value} a={a} b={b} />
          ) : (
            value.searches.map((search) => <ComparedSearch key={search.id} search={search} a={a} b={b} />)
          )}
        </div>
      )}
    </div>
  );
}

/** A set of questions takes its time. */
const LONG_MS = 300_000;

function QueryField({ address, isOff }: { address: Address; isOff: boolean }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(firstOf(address, 'q'));
  useFirstField(field);
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        go(withQuery(address, { q: [text] }));
      }}
    >
      <label class="field grow">
        Question
        <input
          class="input"
          type="search"
          value={text}
          disabled={isOff}
          maxLength={10_000}
          ref={field}
          data-first
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button main low" disabled={isOff}>
        Compare
      </button>
    </form>
  );
}

interface SetProps {
  readonly questions: readonly Question[];
  readonly onQuestions: (questions: readonly Question[]) => void;
}

/** A set of questions in place of one: a file, or what was judged here. */
function SetField({ questions, onQuestions }: SetProps) {
  const { client, caller } = useSession();
  const [problem, setProblem] = useState('');
  const [told, setTold] = useState('');
  const fromText = async (text: string): Promise<readonly Question[]> => {
    const read = placed(readQuestions(text), await namesOf(client));
    setTold(
      read.unknown.length === 0
        ? ''
        : `No document here has the path ${read.unknown.slice(0, 3).join(', ')}${read.unknown.length > 3 ? ` (and ${read.unknown.length - 3} more)` : ''}: what it should answer counts as not found.`,
    );
    return read.questions;
  };
  const take = (work: Promise<readonly Question[]>): void => {
    setProblem('');
    work.then(onQuestions, (cause: unknown) => setProblem(asServiceError(cause).message));
  };
  const judged = async (): Promise<readonly Question[]> => {
    const { questions: found } = await client.feedbackJudgments();
    if (found.length === 0) throw new Error('Nothing is judged yet: mark results as relevant in the search.');
    return found
      .slice(0, 200)
      .map((one) => ({ ...one, gold: [...one.gold], alternates: [...one.alternates] }));
  };
  return (
    <div class="row small">
      {told === '' || questions.length === 0 ? null : (
        <p role="status" class="state warn">
          {told}
        </p>
      )}
      {questions.length > 0 ? (
        <>
          <strong>{several(questions.length, 'question')} of a set</strong>
          <button type="button" class="button" onClick={() => onQuestions([])}>
            One question instead
          </button>
        </>
      ) : (
        <>
          <label class="button">
            A question set from a file…
            <input
              class="unseen"
              type="file"
              accept=".json,.jsonl,application/json"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                if (file !== undefined) take(file.text().then(fromText));
              }}
            />
          </label>
          {caller.offers.feedback ? (
            <button type="button" class="button" onClick={() => take(judged())}>
              What was judged here
            </button>
          ) : null}
          <SetText onText={(text) => take(fromText(text))} />
        </>
      )}
      {problem === '' ? null : (
        <span role="alert" class="state bad">
          {problem}
        </span>
      )}
    </div>
  );
}

/** Names are looked up among so many documents. */
const MOST_NAMES = 20_000;

async function namesOf(client: ReturnType<typeof useSession>['client']): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listDocuments({ limit: 1_000, cursor });
    names.push(...page.documents.map(({ externalId }) => externalId));
    cursor = page.cursor;
    if (cursor === undefined || names.length >= MOST_NAMES) return names;
  }
}

/** What a question set looks like, and a place to write one. */
function SetText({ onText }: { onText: (text: string) => void }) {
  const [text, setText] = useState('');
  return (
    <details class="whole-row">
      <summary>What a question set looks like</summary>
      <div class="stack">
        <p>
          A line of JSON for each question, as <code>ragstone eval</code> reads it. “gold” names the documents
          that answer it, by path, with a verbatim quote; without “gold” a question is compared and not
          scored.
        </p>
        <textarea
          class="input"
          rows={4}
          aria-label="Question set"
          placeholder={SAMPLE}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="row">
          <button type="button" class="button" onClick={() => setText(SAMPLE)}>
            Fill in the sample
          </button>
          <button
            type="button"
            class="button main"
            disabled={text.trim() === ''}
            onClick={() => onText(text)}
          >
            Compare these questions
          </button>
        </div>
      </div>
    </details>
  );
}

function SettingsField({ address, side }: { address: Address; side: Side }) {
  const set = (name: string, value: string): void =>
    go(withQuery(address, { [`${side}.${name}`]: [value] }), { replace: true });
  return (
    <fieldset class="settings">
      <legend>{side.toUpperCase()}</legend>
      {CHOICES.map(({ name, title, values, range }) => {
        const value = firstOf(address, `${side}.${name}`);
        return (
          <div key={name} class="setting">
            <label for={`${side}-${name}`}>{title}</label>
            {values === undefined ? (
              <input
                id={`${side}-${name}`}
                class="input"
                type="number"
                min={range?.[0]}
                max={range?.[1]}
                step={range?.[2]}
                placeholder="as set"
                value={value}
                onChange={(event) => set(name, event.currentTarget.value)}
              />
            ) : (
              <select
                id={`${side}-${name}`}
                class="input"
                value={value}
                onChange={(event) => set(name, event.currentTarget.value)}
              >
                <option value="">as set</option>
                {values.map(([one, words]) => (
                  <option key={one} value={one}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}
