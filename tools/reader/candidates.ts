/**
 * `npx tsx tools/reader/candidates.ts [--fetched DIR] --out DIR [PACKAGE...]`: what a search finds for the written questions (`tools/questions/written`),
 * each asked of its package's documentation, for `tune.py`. `DIR/written` is what `tools/questions/fetch.ts written` left.
 *
 * `texts.jsonl`: passages as a reranker reads them. `questions.jsonl`: `{source, kind, question, right, candidates, logOdds}`: indices of
 * texts, the candidates best first with the log-odds of the built-in reranker.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { logOddsOf } from '../../src/core/logistic.js';
import { loadWordRarity } from '../../src/embedding/static/word-rarity.js';
import { createEngine } from '../../src/index.js';
import { createBuiltinReranker } from '../../src/reranking/builtin/builtin-reranker.js';
import { passageTextOf, type RerankCandidate, type RerankedCandidate } from '../../src/reranking/reranker.js';
import { quoteOf } from '../questions/quotes.js';
import {
  readWrittenPackages,
  readWrittenPassages,
  type WrittenPassage,
} from '../questions/written-questions.js';

/** Candidates of a question, and characters of a passage that is looked for. */
const [MOST, LOOKED_FOR] = [30, 1000];
/** YAML is read where a pattern names it. */
const READ = ['**', '**/*.yaml'];
/** A chunk is right where it holds so much of a passage's runs of three words, or is nearly whole inside it. */
const [COVERED, INSIDE, COVERED_FROM_INSIDE] = [0.45, 0.7, 0.3];

interface Found {
  readonly candidates: readonly RerankCandidate[];
  readonly scored: readonly RerankedCandidate[];
}

const texts = new Map<string, number>();
const indexOf = (text: string): number => {
  const known = texts.get(text) ?? texts.size;
  texts.set(text, known);
  return known;
};

const runsOf = (text: string): Set<string> => {
  const words = text.toLowerCase().match(/[a-z\d_]+/g) ?? [];
  return new Set(words.slice(2).map((word, at) => `${words[at]} ${words[at + 1]} ${word}`));
};

function isRight(quote: ReadonlySet<string>, chunk: ReadonlySet<string>): boolean {
  const shared = [...quote].filter((run) => chunk.has(run)).length;
  const covered = shared / Math.max(1, quote.size);
  return covered >= COVERED || (shared / Math.max(1, chunk.size) >= INSIDE && covered >= COVERED_FROM_INSIDE);
}

/** Searches a folder, and tells what the reranker was given and made of it. */
async function openSearch(root: string) {
  const builtin = await createBuiltinReranker({ rarityOf: await loadWordRarity() });
  let found: Found | undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'ragstone-candidates-'));
  const engine = await createEngine({
    config: {
      provider: 'memory',
      sources: [{ name: 'docs', type: 'files', root, paths: READ, generated: true }],
    },
    dataDir,
    reranker: {
      ...builtin,
      async doRerank(query, candidates, signal) {
        const scored = await builtin.doRerank(query, candidates, signal);
        found = { candidates, scored };
        return scored;
      },
    },
  });
  await engine.index();
  return {
    async search(text: string): Promise<Found> {
      found = undefined;
      await engine.search({ text, options: { topK: 100, minScore: 0 } });
      return found ?? { candidates: [], scored: [] };
    },
    async close() {
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The chunks that hold a passage, found by its own words. */
async function rightOnes(quote: string, search: (text: string) => Promise<Found>): Promise<Set<number>> {
  const runs = runsOf(quote);
  const { candidates } = await search(quote.slice(0, LOOKED_FOR));
  return new Set(
    candidates.filter(({ content }) => isRight(runs, runsOf(content))).map((c) => indexOf(passageTextOf(c))),
  );
}

/** Candidates of one question, best first. */
function ranked({ candidates, scored }: Found): {
  readonly candidates: number[];
  readonly logOdds: number[];
} {
  const first = [...scored].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, MOST);
  const known = first.flatMap(({ index, score }) => {
    const candidate = candidates[index];
    return candidate === undefined ? [] : [{ text: indexOf(passageTextOf(candidate)), score }];
  });
  return {
    candidates: known.map(({ text }) => text),
    logOdds: known.map(({ score }) => Number(logOddsOf(score).toFixed(3))),
  };
}

async function* askedOf(source: string, passages: readonly WrittenPassage[], fetched: string) {
  const { search, close } = await openSearch(join(fetched, source));
  try {
    for (const passage of passages) {
      const right = await rightOnes(await quoteOf(passage, fetched), search);
      if (right.size === 0) continue;
      for (const kind of ['nl', 'other', 'kw'] as const) {
        const question = passage[kind];
        yield { source, kind, question, right: [...right], ...ranked(await search(question)) };
      }
    }
  } finally {
    await close();
  }
}

const { values, positionals } = parseArgs({
  options: {
    fetched: { type: 'string', default: 'node_modules/.cache/ragstone-questions' },
    out: { type: 'string' },
  },
  allowPositionals: true,
});
if (values.out === undefined)
  throw new Error('--out is missing: the folder for texts.jsonl and questions.jsonl.');
const passages = readWrittenPassages();
const lines: string[] = [];
for (const { name } of readWrittenPackages().filter(
  (pack) => positionals.length === 0 || positionals.includes(pack.name),
)) {
  const own = passages.filter(({ path }) => path.startsWith(`${name}/`));
  for await (const asked of askedOf(name, own, join(values.fetched, 'written')))
    lines.push(JSON.stringify(asked));
  process.stderr.write(`${name}: ${lines.length} questions and ${texts.size} texts so far\n`);
}
await mkdir(values.out, { recursive: true });
await writeFile(join(values.out, 'questions.jsonl'), `${lines.join('\n')}\n`);
await writeFile(
  join(values.out, 'texts.jsonl'),
  `${[...texts.keys()].map((text) => JSON.stringify(text)).join('\n')}\n`,
);
