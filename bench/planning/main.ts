// Whether searches with a deadline keep it, and what they are worth: `npm run bench:planning -- [--json] [--searches 1000] [--load 4]`.
// Over the ISE playbook, whose 55 questions are asked again and again while others search beside. Each fixed plan is timed under the same load.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readQuestionSet } from '../../src/evaluation/question-set.js';
import { scoreQuestion } from '../../src/evaluation/score-questions.js';
import { createEngine, profileSearches, type SearchQuery } from '../../src/index.js';
import { circumstances } from '../shared/machine.js';
import { SHARED } from '../shared/places.js';
import { quantile, rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    searches: { type: 'string', default: '1000' },
    /** Searches that are always under way beside. */
    load: { type: 'string', default: '4' },
  },
});
const SEARCHES = Number(values.searches);
const LOAD = Number(values.load);
const DEADLINES_MS = [20, 50, 100, 300];
const CORPUS = join(SHARED, 'data/corpora/ise-playbook');
const QUESTIONS = join(SHARED, 'data/questions/ise.jsonl');
const CUTOFFS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

const questions = (await readQuestionSet(QUESTIONS)).filter(({ gold }) => gold.length > 0);

interface Row {
  readonly what: string;
  readonly ndcg: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly lateShare: number;
  readonly plans: Readonly<Record<string, number>>;
}

const rows = await withTemporaryFolder(async (folder) => {
  const config = {
    sources: [{ name: 'ise', type: 'files' as const, root: CORPUS }],
    retrieval: { cache: { enabled: false } },
  };
  const engine = await createEngine({ config, dataDir: folder, cwd: folder });
  try {
    await engine.index();
    await profileSearches({ cwd: folder, dataDir: folder, questions: QUESTIONS, overrides: config });
    const measure = async (what: string, options: NonNullable<SearchQuery['options']>): Promise<Row> => {
      const times: number[] = [];
      const plans: Record<string, number> = {};
      let gain = 0;
      let asked = 0;
      const searchOn = async (): Promise<void> => {
        for (let n = asked++; n < SEARCHES; n = asked++) {
          const question = questions[n % questions.length];
          if (question === undefined) return;
          const began = performance.now();
          const { results, plan } = await engine.search({
            text: question.question,
            options: { topK: 10, minSimilarity: 0, ...options },
          });
          times.push(performance.now() - began);
          const name = plan?.name ?? 'fixed';
          plans[name] = (plans[name] ?? 0) + 1;
          const passages = results.map(({ content, metadata }) => ({ path: metadata.source, content }));
          const { hit } = scoreQuestion(question, passages, CUTOFFS);
          for (const k of CUTOFFS) gain += ((hit[k] ?? 0) - (hit[k - 1] ?? 0)) / Math.log2(k + 1);
        }
      };
      await Promise.all(Array.from({ length: 1 + LOAD }, searchOn));
      const { deadlineMs = Infinity } = options;
      return {
        what,
        ndcg: rounded(gain / times.length),
        p50Ms: rounded(quantile(times, 0.5)),
        p95Ms: rounded(quantile(times, 0.95)),
        lateShare: rounded(times.filter((ms) => ms > deadlineMs).length / times.length),
        plans,
      };
    };
    await measure('warm-up', {});
    const measured: Row[] = [];
    for (const deadlineMs of DEADLINES_MS)
      measured.push(await measure(`deadline ${deadlineMs} ms`, { deadlineMs }));
    measured.push(await measure('fixed: whole', {}));
    measured.push(await measure('fixed: not reranked', { rerank: false }));
    measured.push(await measure('fixed: words', { rerank: false, mode: 'lexical' }));
    return measured;
  } finally {
    await engine.close();
  }
});

if (values.json) console.log(JSON.stringify({ ...circumstances(), rows }, undefined, 2));
else console.table(rows.map(({ plans, ...row }) => ({ ...row, plans: JSON.stringify(plans) })));
