/**
 * Measures what typing mistakes cost: the questions of a folder as they are and with one mistake in every word of six letters or
 * more, with words put right and as typed; then questions that must be left alone, because they are in another language or are
 * asked of a folder on another subject.
 *
 *   npx tsx tools/typos/measure.ts [--data ../shared/data] [--seeds 3] [--list]
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readJsonLines } from '../../bench/shared/data-files.js';
import { percentile } from '../../src/core/percentile.js';
import { type Question, readQuestionSet } from '../../src/evaluation/question-set.js';
import { seededRandom } from '../../src/evaluation/random.js';
import { evaluateQuestions } from '../../src/evaluation/score-questions.js';
import { createEngine, type Engine } from '../../src/index.js';
import { mistyped } from './mistype.js';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    seeds: { type: 'string', default: '3' },
    list: { type: 'boolean', default: false },
  },
});
const at = (place: string): string => path.resolve(options.data, place);

const FOLDERS = [
  ['ISE', 'corpora/ise-playbook', 'questions/ise.jsonl'],
  ['handbook', 'corpora/sourcegraph-handbook', 'questions/handbook.jsonl'],
] as const;

const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-typos-'));
const engines = new Map<string, Engine>();
try {
  for (const [name, folder, questions] of FOLDERS) await measureFolder(name, folder, questions);
  for (const [asked, [, , file]] of [
    ['handbook', FOLDERS[0]],
    ['ISE', FOLDERS[1]],
  ] as const)
    await listCorrections(`questions of ${file} asked of ${asked}`, asked, await textsOf(file));
  for (const language of ['de', 'es'])
    await listCorrections(`questions in ${language} asked of ISE`, 'ISE', foreign(language));
} finally {
  for (const engine of engines.values()) await engine.close();
  await rm(dataDir, { recursive: true });
}

async function measureFolder(name: string, folder: string, file: string): Promise<void> {
  const engine = await createEngine({ config: {}, cwd: at(folder), dataDir: path.join(dataDir, name) });
  engines.set(name, engine);
  await engine.index({ paths: [at(folder)] });
  const questions = await readQuestionSet(at(file));
  // Loads the models.
  await engine.search('warm up');
  for (const words of ['new', 'known']) await reportTimes(engine, `${name}, words ${words}`, questions);
  for (const exactWords of [true, false])
    await report(engine, `${name}, as they are, ${exactWords ? 'as typed' : 'put right'}`, {
      questions,
      exactWords,
    });
  for (const kind of ['anywhere', 'likely'] as const)
    for (let seed = 1; seed <= Number(options.seeds); seed++) {
      const random = seededRandom(seed);
      const wrong = questions.map((question) => ({
        ...question,
        question: mistyped(question.question, kind, random),
      }));
      for (const exactWords of [true, false])
        await report(
          engine,
          `${name}, mistyped (${kind}, seed ${seed}), ${exactWords ? 'as typed' : 'put right'}`,
          {
            questions: wrong,
            exactWords,
            meant: questions,
          },
        );
    }
}

async function report(
  engine: Engine,
  name: string,
  {
    questions,
    exactWords,
    meant,
  }: { questions: readonly Question[]; exactWords: boolean; meant?: readonly Question[] },
): Promise<void> {
  const lines: string[] = [];
  const times: number[] = [];
  const { hit } = await evaluateQuestions({
    questions,
    search: async (text, topK) => {
      const { results, correction, tookMs } = await engine.search({ text, options: { topK, exactWords } });
      times.push(tookMs);
      if (correction !== undefined || (meant !== undefined && !exactWords)) {
        const right = meant?.[questions.findIndex(({ question }) => question === text)]?.question;
        const got = correction?.searchedFor ?? text;
        if (got !== right)
          lines.push(
            `   ${right ?? ''}\n   ${text}\n   ${correction?.words.map(({ typed, used }) => `${typed}>${used}`).join(' ') ?? 'nothing put right'}`,
          );
      }
      return results.map(({ metadata, content }) => ({ path: metadata.source, content }));
    },
  });
  console.log(
    `${name}: hit@1 ${hit[1]?.toFixed(3)} hit@5 ${hit[5]?.toFixed(3)}, p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms${exactWords ? '' : `, ${lines.length} not as meant`}`,
  );
  if (options.list) console.log(lines.join('\n\n'));
}

/** Times of questions without mistakes, as typed and checked in turn, so that both see the same machine. */
async function reportTimes(engine: Engine, name: string, questions: readonly Question[]): Promise<void> {
  const times: Record<'true' | 'false', number[]> = { true: [], false: [] };
  for (const [i, { question: text }] of questions.entries())
    for (const exactWords of i % 2 === 0 ? [true, false] : [false, true]) {
      const { tookMs } = await engine.search({ text, options: { exactWords } });
      times[`${exactWords}`].push(tookMs);
    }
  const added = times.false.map((time, i) => time - (times.true[i] ?? 0));
  const [typed, checked, more] = [times.true, times.false, added].map((all) =>
    percentile(all, 0.5).toFixed(2),
  );
  console.log(
    `${name}: p50 as typed ${typed} ms, checked ${checked} ms, median of what checking adds ${more} ms`,
  );
}

async function textsOf(file: string): Promise<string[]> {
  return (await readQuestionSet(at(file))).map(({ question }) => question);
}

function foreign(language: string): string[] {
  return readJsonLines<{ text: string }>(at(`retrieval/xquad-en/queries-${language}.jsonl`))
    .slice(0, 200)
    .map(({ text }) => text);
}

async function listCorrections(what: string, name: string, texts: readonly string[]): Promise<void> {
  const engine = engines.get(name);
  if (engine === undefined) return;
  const found: string[] = [];
  for (const text of texts) {
    const { correction } = await engine.search({ text, options: { mode: 'lexical' } });
    if (correction !== undefined)
      found.push(correction.words.map(({ typed, used }) => `${typed}>${used}`).join(' '));
  }
  console.log(`${what}: ${found.length} of ${texts.length} changed: ${found.join(', ')}`);
}
