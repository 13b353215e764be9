// How often the semantic cache is right: `npm run bench:semantic-cache -- [--json] [--minilm]`.
// Pairs: 76 engineers' questions, each asked again in other words (what should be found), and one beside each that is near and another
// one (what should not). Sets: questions that are all different, asked one after another; each hit shows the results of another question,
// and loses its answer where the right passage was among the first five and is not any more.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine, type Engine, type PushedDocument } from '../../src/index.js';
import { SemanticIndex } from '../../src/resources/cache/semantic-index.js';
import { readBeir, readJsonLines } from '../shared/data-files.js';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, corpusFolder, LOCAL_RESULTS, MINILM, SHARED } from '../shared/places.js';
import { rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    minilm: { type: 'boolean', default: false },
    /** The pairs alone. */
    pairs: { type: 'boolean', default: false },
  },
});
const THRESHOLDS = [0.8, 0.85, 0.9, 0.925, 0.95, 0.975] as const;
const TOP = 5;
const say = (text: string): void => console.error(text);

interface Question {
  readonly id: string;
  readonly text: string;
  /** Documents that answer it; none where nothing does. */
  readonly gold: ReadonlySet<string>;
}

interface Vectored extends Question {
  readonly vector: Float32Array;
}

/** A data set of `retrieval/`: its documents and its questions. */
async function datasetOf(
  name: string,
): Promise<{ readonly documents: PushedDocument[]; readonly questions: Question[] }> {
  const { documents, queries } = await readBeir(`${SHARED}data/retrieval/${name}`, 'test');
  return {
    documents: documents.map(({ id, title, text }) => ({ id, text, metadata: { title } })),
    questions: queries.map(({ id, text, relevant }) => ({ id, text, gold: relevant })),
  };
}

function engineersQuestions(): Question[] {
  return ['ise', 'handbook'].flatMap((name) =>
    readJsonLines<{ id: string; question: string; gold: { path: string }[] }>(
      `${SHARED}data/questions/${name}.jsonl`,
    ).map(({ id, question: text, gold }) => ({ id, text, gold: new Set(gold.map(({ path }) => path)) })),
  );
}

const pairs = readJsonLines<{ id: string; same: string; other: string }>(
  new URL('./pairs.jsonl', import.meta.url),
);

async function vectorsOf(engine: Engine, texts: readonly string[]): Promise<Float32Array[]> {
  const { vectors } = await engine.embed({ texts, kind: 'query' });
  return [...vectors];
}

/** Which earlier question each would be answered by, asked one after another; what has no hit is known from then on. */
function hitsOf(
  asked: readonly { readonly id: string; readonly text: string; readonly vector: Float32Array }[],
  threshold: number,
  { knows = [], areExact = true }: { readonly knows?: typeof asked; readonly areExact?: boolean } = {},
): (string | undefined)[] {
  const index = new SemanticIndex({ threshold, maxEntries: 100_000, ttl: 3_600 });
  const questionOf = ({ text, vector }: (typeof asked)[number]) => ({
    group: '',
    text: areExact ? text : '',
    vector,
  });
  for (const one of knows) index.add(one.id, questionOf(one));
  return asked.map((one) => {
    const near = index.nearest(questionOf(one));
    if (near === undefined && knows.length === 0) index.add(one.id, questionOf(one));
    return near?.key;
  });
}

/** How often a paraphrase is found, and how often another question is taken for one that was asked. */
async function pairRates(engine: Engine, model: string) {
  const byId = new Map(engineersQuestions().map((question) => [question.id, question]));
  const asked = pairs.map(({ id }) => ({ id, text: byId.get(id)?.text ?? '' }));
  const all = [asked.map(({ text }) => text), pairs.map(({ same }) => same), pairs.map(({ other }) => other)];
  const [known = [], same = [], other = []] = await Promise.all(all.map((texts) => vectorsOf(engine, texts)));
  const list = (texts: readonly string[], vectors: readonly Float32Array[]) =>
    texts.map((text, i) => ({ id: asked[i]?.id ?? '', text, vector: vectors[i] ?? new Float32Array() }));
  const knows = list(all[0] ?? [], known);
  return THRESHOLDS.flatMap((threshold) =>
    [true, false].map((areExact) => {
      const paraphrases = hitsOf(list(all[1] ?? [], same), threshold, { knows, areExact });
      const others = hitsOf(list(all[2] ?? [], other), threshold, { knows, areExact });
      const right = paraphrases.filter((key, i) => key === asked[i]?.id).length;
      const astray = paraphrases.filter((key, i) => key !== undefined && key !== asked[i]?.id).length;
      const wrong = others.filter((key) => key !== undefined).length;
      const count = pairs.length;
      return {
        ...{ model, threshold, areExact, count, right, astray, wrong },
        hitRate: rounded(right / count),
        wrongRate: rounded((astray + wrong) / Math.max(1, right + astray + wrong)),
        nearTakenForSame: rounded(wrong / count),
        taken: pairs.filter((_, i) => others[i] !== undefined).map(({ id }) => id),
      };
    }),
  );
}

/** Of questions that are all different: how many are answered by another one, and how many of these lose what answers them. */
function setRates(
  set: string,
  model: string,
  questions: readonly Vectored[],
  found: ReadonlyMap<string, ReadonlySet<string>>,
) {
  const answers = (question: Question, id: string): boolean =>
    [...question.gold].some((document) => found.get(id)?.has(document) === true);
  return THRESHOLDS.map((threshold) => {
    const hits = hitsOf(questions, threshold).flatMap((key, i) => {
      const question = questions[i];
      return key === undefined || question === undefined ? [] : [{ question, key }];
    });
    const lost = hits.filter(
      ({ question, key }) => answers(question, question.id) && !answers(question, key),
    );
    const count = questions.length;
    return {
      ...{ set, model, threshold, count, hits: hits.length, lost: lost.length },
      lostOfAll: rounded(lost.length / count),
    };
  });
}

/** What a search finds first, by the built-in models. */
async function foundBy(engine: Engine, questions: readonly Question[], idOf: (id: string) => string) {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { id, text } of questions) {
    const { results } = await engine.search({ text, topK: TOP });
    found.set(id, new Set(results.map(({ metadata }) => idOf(metadata.source))));
  }
  return found;
}

async function withEngine<Result>(
  config: object,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  return withTemporaryFolder(async (cwd) => {
    const engine = await createEngine({ cwd, config: { provider: 'libsql', ...config } });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  });
}

assertPlacesExist();
const folders = ['ise-playbook', 'sourcegraph-handbook'] as const;
const sources = folders.map((name) => ({ name, type: 'files', root: corpusFolder(name) }));
const sets = ['xquad-en', 'scifact'] as const;
const minilm = { embedding: { model: `transformers:${MINILM}` } };

async function measured(
  set: string,
  config: object,
  {
    questions,
    index,
  }: { readonly questions: readonly Question[]; readonly index: (engine: Engine) => Promise<unknown> },
  idOf: (source: string) => string = (source) => source,
) {
  say(set);
  const texts = questions.map(({ text }) => text);
  return withEngine(config, async (engine) => {
    await index(engine);
    const builtin = await vectorsOf(engine, texts);
    const found = await foundBy(engine, questions, idOf);
    const other = values.minilm ? await withEngine(minilm, (models) => vectorsOf(models, texts)) : undefined;
    const withVectors = (vectors: readonly Float32Array[]): Vectored[] =>
      questions.map((question, i) => ({ ...question, vector: vectors[i] ?? new Float32Array() }));
    const rates = [
      ...setRates(set, 'builtin', withVectors(builtin), found),
      ...(other === undefined ? [] : setRates(set, 'all-MiniLM-L6-v2', withVectors(other), found)),
    ];
    return { rates, pairs: set === 'engineers' ? await pairRates(engine, 'builtin') : [] };
  });
}

const outcomes = [
  await measured(
    'engineers',
    { sources },
    { questions: engineersQuestions(), index: (engine) => engine.index() },
  ),
];
for (const set of values.pairs ? [] : sets) {
  const { documents, questions } = await datasetOf(set);
  outcomes.push(await measured(set, {}, { questions, index: (engine) => engine.push(documents) }));
}
const report = {
  ...circumstances(),
  pairs: [
    ...outcomes.flatMap((outcome) => outcome.pairs),
    ...(values.minilm ? await withEngine(minilm, (engine) => pairRates(engine, 'all-MiniLM-L6-v2')) : []),
  ],
  sets: outcomes.flatMap(({ rates }) => rates),
};
mkdirSync(LOCAL_RESULTS, { recursive: true });
const file = join(LOCAL_RESULTS, 'semantic-cache.json');
writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  console.table(report.pairs);
  console.table(report.sets);
}
say(`All of it: ${file}`);
