// A process of its own: searches an index again and again until its input ends, and prints what was wrong with any answer as one
// JSON object. Arguments: the folder, the configuration, and how many passages every answer has.
import { createEngine } from '../../src/index.js';

/** What a reader saw. */
export interface Reading {
  readonly searches: number;
  /** Editions, in the order in which they were first seen. */
  readonly editions: readonly string[];
  readonly problems: readonly string[];
}

const [cwd = '', configFile = '', expected = '0'] = process.argv.slice(2);
const engine = await createEngine({ cwd, configFile });
const editions = new Set<string>();
const problems: string[] = [];
let searches = 0;
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

const MODES = ['lexical', 'hybrid'] as const;

async function searchOnce(): Promise<void> {
  const mode = MODES[searches % MODES.length] ?? 'hybrid';
  const options = { mode, topK: 50, nearDuplicates: 'keep', minSimilarity: 0 } as const;
  try {
    const { results, degradationLevel } = await engine.search({ text: 'tide table of the harbour', options });
    const seen = new Set(results.flatMap(({ content }) => /edition\d+/.exec(content) ?? []));
    for (const edition of seen) editions.add(edition);
    if (degradationLevel > 0) problems.push(`${mode}: degraded to ${degradationLevel}`);
    if (results.length !== Number(expected)) problems.push(`${mode}: ${results.length} passages`);
    if (seen.size !== 1) problems.push(`${mode}: ${[...seen].join(' beside ')}`);
  } catch (error) {
    problems.push(`${mode}: ${String(error)} ${error instanceof Error ? String(error.cause) : ''}`);
  }
  searches += 1;
}

process.stdout.write('ready\n');
while (!isOver) {
  await searchOnce();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await engine.close();
const reading: Reading = { searches, editions: [...editions], problems: problems.slice(0, 20) };
process.stdout.write(JSON.stringify(reading));
