import { MINILM, SHARED } from '../shared/places.js';

/** One run of `ragstone eval`, and what is looked at in its report. */
export interface QualityCase {
  readonly dataset: string;
  readonly mode: 'lexical' | 'dense' | 'hybrid';
  readonly embedder: 'builtin' | 'MiniLM';
  /** After `ragstone eval`, but for mode and embedder. */
  readonly args: readonly string[];
  /** Label of a metric to what it is meant to reach; undefined where nothing was promised. */
  readonly metrics: Readonly<Record<string, Target | undefined>>;
  readonly notes: string;
}

/** Inclusive bounds, or another case's value of the same metric as the lower one. */
export interface Target {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly notBelow?: QualityCase['mode'];
}

const retrieval = (name: string): string => `${SHARED}data/retrieval/${name}`;

const scifact = (
  mode: QualityCase['mode'],
  embedder: QualityCase['embedder'],
  target: Target | undefined,
): QualityCase => ({
  dataset: 'SciFact',
  mode,
  embedder,
  args: [retrieval('scifact')],
  metrics: { 'ndcg@10': target, 'recall@100': undefined },
  notes: 'BM25 (Lucene) .679, MiniLM .652, MiniLM + BM25 .713, OpenAI file search .7165',
});

const codebase = (mode: QualityCase['mode'], embedder: QualityCase['embedder']): QualityCase => ({
  dataset: 'Anthropic codebase chunks',
  mode,
  embedder,
  args: [retrieval('anthropic-codebase-chunks'), '--score-by', 'text'],
  metrics: {
    'recall@5': undefined,
    'recall@10': mode === 'hybrid' ? { atLeast: 0.825 } : undefined,
    'recall@20': undefined,
  },
  notes: 'scored by text; BM25 .805 at 10, identifiers split .825 to .842',
});

const duplicates = (mode: QualityCase['mode'], embedder: QualityCase['embedder']): QualityCase => ({
  dataset: 'GitBugs Hadoop duplicates',
  mode,
  embedder,
  args: [retrieval('gitbugs-hadoop-duplicates'), '--drop-self'],
  metrics: { 'hit@10': mode === 'hybrid' ? { atLeast: 0.75 } : undefined },
  notes: 'own issue dropped; BM25 .722, identifiers split .754',
});

const questions = (
  dataset: string,
  corpus: string,
  { file, embedder }: { file: string; embedder: QualityCase['embedder'] },
): QualityCase => ({
  dataset,
  mode: 'hybrid',
  embedder,
  args: [`${SHARED}data/corpora/${corpus}`, '--questions', `${SHARED}data/questions/${file}`],
  metrics: { 'hit@1': undefined, 'hit@5': { atLeast: 0.6 }, 'hit@10': undefined, 'file@10': undefined },
  notes: 'the folder indexed as by `ragstone index`; BM25 .54 to .59 at 5',
});

const BUILTIN: readonly QualityCase[] = [
  scifact('lexical', 'builtin', { atLeast: 0.675 }),
  scifact('dense', 'builtin', undefined),
  scifact('hybrid', 'builtin', { notBelow: 'lexical' }),
  codebase('lexical', 'builtin'),
  codebase('hybrid', 'builtin'),
  duplicates('lexical', 'builtin'),
  duplicates('hybrid', 'builtin'),
  {
    dataset: 'XQuAD (English)',
    mode: 'hybrid',
    embedder: 'builtin',
    args: [retrieval('xquad-en'), '--metrics', 'recall@1|5'],
    metrics: { 'recall@1': undefined, 'recall@5': undefined },
    notes: 'BM25 .945 and .990',
  },
  questions('Questions on the ISE playbook', 'ise-playbook', { file: 'ise.jsonl', embedder: 'builtin' }),
  questions('Questions on the handbook', 'sourcegraph-handbook', {
    file: 'handbook.jsonl',
    embedder: 'builtin',
  }),
];

const WITH_MINILM: readonly QualityCase[] = [
  scifact('dense', 'MiniLM', { atLeast: 0.639, atMost: 0.651 }),
  scifact('hybrid', 'MiniLM', { atLeast: 0.725 }),
  codebase('hybrid', 'MiniLM'),
  duplicates('hybrid', 'MiniLM'),
];

/** The tables of issue 3. MiniLM takes minutes of embedding the first time. */
export const qualityCases = ({ minilm }: { minilm: boolean }): readonly QualityCase[] =>
  minilm ? [...BUILTIN, ...WITH_MINILM] : BUILTIN;

/** What `--embedder` is given. */
export const embedderArgument = (embedder: QualityCase['embedder']): string =>
  embedder === 'builtin' ? 'builtin' : `transformers:${MINILM}`;
