/**
 * Measures the support check on sentences in other words and on sentences wrong in few words, on the halves that nothing was fitted on,
 * and writes `docs/research/support.md`:
 *
 *   npx tsx tools/answers/measure-pairs.ts --data ../shared/data
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { checkSupport, SUPPORT_THRESHOLD } from '../../src/answering/check-support.js';
import { readEvidence } from '../../src/answering/support-features.js';
import { loadTextMeaning } from '../../src/embedding/static/text-meaning.js';
import { readRatedAnswers } from './mtrag.js';
import { alteredPairs, halvesOf } from './support-cases.js';
import { type SupportMeasures, supportPage } from './support-page.js';
import {
  pairsOf,
  readBlindPassages,
  readSampleBugs,
  readSupportPassages,
  type SupportPair,
} from './support-pairs.js';

const { values: options } = parseArgs({
  options: { data: { type: 'string', default: '../shared/data' } },
});
const MTRAG = path.join(options.data, 'answers/mtrag/reference_subset_with_human_evaluations.json');

/** What the check says of a sentence that is known to be right or wrong. */
interface JudgedSentence {
  readonly isRight: boolean;
  /** What was changed; empty where it is right. */
  readonly how: string;
  readonly score: number;
  readonly isRemoved: boolean;
}

const THRESHOLDS = [0.1, 0.2, 0.3, 0.4, SUPPORT_THRESHOLD, 0.45, 0.5, 0.55, 0.6, 0.7];

const meaning = await loadTextMeaning();
const sampled = readSampleBugs().flatMap(pairsOf);
const held = readSupportPassages('reporting').flatMap(pairsOf);
const blind = readBlindPassages('blind-pairs', 'reporting').flatMap(pairsOf);
const invented = readBlindPassages('invented-sentences', 'reporting').flatMap(pairsOf);
const unseen = readBlindPassages('unseen-pairs', 'reporting').flatMap(pairsOf);
const kinds = readBlindPassages('kinds', 'reporting').flatMap(pairsOf);
const scopes = readBlindPassages('scopes', 'reporting').flatMap(pairsOf);
const answers = await readRatedAnswers(MTRAG);
const halfOf = halvesOf(answers);
const altered = alteredPairs(answers).filter(({ task }) => halfOf(task) === 'reporting');

const judged = (
  sentence: string,
  passages: readonly string[],
  known: Pick<JudgedSentence, 'isRight' | 'how'>,
): JudgedSentence => {
  const { score, contradiction } = checkSupport(sentence, readEvidence(passages, meaning));
  return { ...known, score, isRemoved: contradiction !== undefined };
};

function measuresOf(name: string, sentences: readonly JudgedSentence[]): SupportMeasures {
  const [right, wrong] = [true, false].map((is) => sentences.filter(({ isRight }) => isRight === is));
  const share = (of: readonly JudgedSentence[] = [], is: (each: JudgedSentence) => boolean): number =>
    of.filter(is).length / of.length;
  const isRemoved = (each: JudgedSentence): boolean => each.isRemoved;
  const isFound =
    (threshold = SUPPORT_THRESHOLD) =>
    ({ score, isRemoved }: JudgedSentence): boolean =>
      isRemoved || score < threshold;
  const isMarked = (each: JudgedSentence): boolean => !each.isRemoved && isFound()(each);
  const kinds = [...new Set((wrong ?? []).map(({ how }) => how))].sort();
  return {
    name,
    right: right?.length ?? 0,
    wrong: wrong?.length ?? 0,
    rightMarked: share(right, isMarked),
    rightRemoved: share(right, isRemoved),
    wrongMarked: share(wrong, isMarked),
    wrongRemoved: share(wrong, isRemoved),
    curve: THRESHOLDS.map((threshold) => ({
      threshold,
      right: share(right, isFound(threshold)),
      wrong: share(wrong, isFound(threshold)),
    })),
    kinds: kinds.map((how) => {
      const of = (wrong ?? []).filter((each) => each.how === how);
      return { how, sentences: of.length, found: share(of, isFound()) };
    }),
  };
}

const measuresOfPairs = (name: string, pairs: readonly SupportPair[]): SupportMeasures =>
  measuresOf(
    name,
    pairs.map(({ sentence, passage, isRight, how }) => judged(sentence, [passage], { isRight, how })),
  );

const measures = [
  measuresOfPairs('pairs written for it', held),
  measuresOfPairs('sample bugs', sampled),
  measuresOfPairs('blind pairs', blind),
  measuresOfPairs('invented sentences', invented),
  measuresOfPairs('unseen pairs', unseen),
  measuresOfPairs('steps, lists, roles, opposites', kinds),
  measuresOfPairs('scopes, conditions, cells', scopes),
  measuresOf(
    'MTRAG',
    altered.flatMap(({ original, altered: changed, kind, passages }) => [
      judged(original, passages, { isRight: true, how: '' }),
      judged(changed, passages, { isRight: false, how: kind }),
    ]),
  ),
];
await writeFile('docs/research/support.md', supportPage(measures));
console.log(JSON.stringify(measures, null, 1));
