import { MINILM, SHARED } from '../shared/places.js';
import { LANGUAGES, multilingualReports, translatedXquad } from './cross-lingual.js';

/** One run of `ragstone eval`, and what is looked at in its report. */
export interface QualityCase {
  readonly dataset: string;
  readonly mode: 'lexical' | 'dense' | 'hybrid';
  readonly embedder: 'builtin' | 'MiniLM';
  /** The reranker, on or off whatever the defaults are. */
  readonly rerank: 'none' | 'builtin' | 'reader';
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
  { target, rerank = 'none' }: { target?: Target; rerank?: QualityCase['rerank'] } = {},
): QualityCase => ({
  dataset: 'SciFact',
  mode,
  embedder,
  rerank,
  args: [retrieval('scifact')],
  metrics: { 'ndcg@10': target, 'recall@100': undefined },
  notes: 'BM25 (Lucene) .679, MiniLM .652, MiniLM + BM25 .713, OpenAI file search .7165',
});

const codebase = (mode: QualityCase['mode'], embedder: QualityCase['embedder']): QualityCase => ({
  dataset: 'Anthropic codebase chunks',
  mode,
  embedder,
  rerank: 'none',
  args: [retrieval('anthropic-codebase-chunks'), '--score-by', 'text'],
  metrics: {
    'recall@5': undefined,
    'recall@10': mode === 'hybrid' ? { atLeast: 0.825 } : undefined,
    'recall@20': undefined,
  },
  notes: 'scored by text; BM25 .805 at 10, identifiers split .825 to .842',
});

const duplicates = (
  mode: QualityCase['mode'],
  embedder: QualityCase['embedder'],
  rerank: QualityCase['rerank'] = 'none',
): QualityCase => ({
  dataset: 'GitBugs Hadoop duplicates',
  mode,
  embedder,
  rerank,
  args: [retrieval('gitbugs-hadoop-duplicates'), '--drop-self'],
  metrics: { 'hit@10': mode === 'hybrid' ? { atLeast: 0.75 } : undefined },
  notes: 'own issue dropped; BM25 .722, identifiers split .754',
});

const questions = (
  dataset: string,
  corpus: string,
  { file, rerank }: { file: string; rerank: QualityCase['rerank'] },
): QualityCase => ({
  dataset,
  mode: 'hybrid',
  embedder: 'builtin',
  rerank,
  args: [`${SHARED}data/corpora/${corpus}`, '--questions', `${SHARED}data/questions/${file}`],
  metrics: { 'hit@1': undefined, 'hit@5': { atLeast: 0.6 }, 'hit@10': undefined, 'file@10': undefined },
  notes: 'the folder indexed as by `ragstone index`; BM25 .54 to .59 at 5',
});

const folders = (rerank: QualityCase['rerank']): QualityCase[] => [
  questions('Questions on the ISE playbook', 'ise-playbook', { file: 'ise.jsonl', rerank }),
  questions('Questions on the handbook', 'sourcegraph-handbook', { file: 'handbook.jsonl', rerank }),
];

/** Questions in one language over text in another. */
const crossLingual = (embedder: QualityCase['embedder']): QualityCase[] => [
  ...LANGUAGES.map(
    (language): QualityCase => ({
      dataset: `XQuAD (questions in ${language}, paragraphs in English)`,
      mode: 'hybrid',
      embedder,
      rerank: 'none',
      args: [translatedXquad(language), '--metrics', 'recall@1|5'],
      metrics: { 'recall@1': undefined, 'recall@5': undefined },
      notes: 'asked in English, the same paragraphs: see above',
    }),
  ),
  {
    dataset: 'VS Code reports (asked in English, written in other languages)',
    mode: 'hybrid',
    embedder,
    rerank: 'none',
    args: [multilingualReports(), '--metrics', 'hit@1|10'],
    metrics: { 'hit@1': undefined, 'hit@10': undefined },
    notes: 'the machine translation of a report finds its original',
  },
];

const builtinCases = (): readonly QualityCase[] => [
  scifact('lexical', 'builtin', { target: { atLeast: 0.675 } }),
  scifact('dense', 'builtin'),
  scifact('hybrid', 'builtin', { target: { notBelow: 'lexical' } }),
  scifact('hybrid', 'builtin', { target: { atLeast: 0.715 }, rerank: 'builtin' }),
  codebase('lexical', 'builtin'),
  codebase('hybrid', 'builtin'),
  duplicates('lexical', 'builtin'),
  duplicates('hybrid', 'builtin'),
  {
    dataset: 'XQuAD (English)',
    mode: 'hybrid',
    embedder: 'builtin',
    rerank: 'none',
    args: [retrieval('xquad-en'), '--metrics', 'recall@1|5'],
    metrics: { 'recall@1': undefined, 'recall@5': undefined },
    notes: 'BM25 .945 and .990',
  },
  ...folders('none'),
  ...crossLingual('builtin'),
];

const minilmCases = (): readonly QualityCase[] => [
  scifact('dense', 'MiniLM', { target: { atLeast: 0.639, atMost: 0.651 } }),
  scifact('hybrid', 'MiniLM', { target: { atLeast: 0.725 } }),
  scifact('hybrid', 'MiniLM', { target: { atLeast: 0.755 }, rerank: 'builtin' }),
  codebase('hybrid', 'MiniLM'),
  duplicates('hybrid', 'MiniLM'),
  ...crossLingual('MiniLM'),
];

/** Every case. MiniLM takes minutes of embedding the first time. */
export const qualityCases = ({ minilm }: { minilm: boolean }): readonly QualityCase[] =>
  minilm ? [...builtinCases(), ...minilmCases()] : builtinCases();

/** The cases of the default reranker, the reader: minutes of reading each. */
export const readerCases = (): readonly QualityCase[] => [
  ...folders('reader'),
  duplicates('hybrid', 'builtin', 'reader'),
  scifact('hybrid', 'builtin', { target: { atLeast: 0.715 }, rerank: 'reader' }),
];

/** What `--embedder` is given. */
export const embedderArgument = (embedder: QualityCase['embedder']): string =>
  embedder === 'builtin' ? 'builtin' : `transformers:${MINILM}`;
