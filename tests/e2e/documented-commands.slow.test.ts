import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { samplesIn } from '../docs/samples.js';
import { runRagstone } from './run-ragstone.js';
import { writeFiles } from './temporary-folder.js';

// The commands of these pages, in their order, in a folder that has what they name. `tests/docs/samples.test.ts` checks the
// options of all others; those of docs/troubleshooting.md have a test of their own.
const PAGES = [
  'README',
  'getting-started',
  'answering',
  'scopes',
  'evaluation',
  'upgrading',
  'better-model',
  'trust',
];

const MINILM = fileURLToPath(new URL('../../../shared/models/all-MiniLM-L6-v2', import.meta.url));

/** What ends with another code than 0, and why. */
const OTHER_CODES: readonly (readonly [command: RegExp, code: number, why: string])[] = [
  [/^eval-init /, 2, 'questions.jsonl is there already, and is not replaced'],
  [/^reembed$/, 2, 'the configuration of the page, which names the model, is not the one of this folder'],
  [/^reembed --model openai:/, 2, 'there is no key'],
  [/^init --example /, 2, 'the folder is not empty; tools/examples runs it in one that is'],
];

const TOPICS = [
  'retries',
  'backups',
  'alerts',
  'deployments',
  'passwords',
  'invoices',
  'queues',
  'caches',
  'reviews',
  'releases',
];
const NUMBERS = ['seven', 'nine'];
const FACTS = TOPICS.flatMap((topic) =>
  NUMBERS.map((number) => ({
    topic,
    number,
    path: `${topic}-${number}.md`,
    quote: `The team ${number} owns the ${topic} of its region.`,
  })),
);

const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Ours\n\nWhat we build.\n',
  'docs/errors.md': '# Errors\n\nErrors can be retried when the service was busy.\n',
  'docs/exit-codes.md': '# Exit codes\n\nThe exit codes are 0, 1 and 2.\n',
  'docs/audit.md': '# Audit\n\nAudit logs are kept for 30 days. The gateway listens on port 8443.\n',
  'docs/pay.md': '# Pay\n\nSalaries rise in May.\n',
  ...Object.fromEntries(FACTS.map(({ path, topic, quote }) => [`docs/${path}`, `# ${topic}\n\n${quote}\n`])),
  'questions.jsonl': FACTS.map(({ topic, number, path, quote }, i) =>
    JSON.stringify({
      id: `q${i}`,
      question: `who owns ${topic} of ${number}?`,
      type: 'lookup',
      gold: [{ path, quote }],
      alternates: [],
    }),
  ).join('\n'),
  'path/to/scifact/corpus.jsonl': FACTS.map(({ quote }, i) =>
    JSON.stringify({ _id: `d${i}`, title: '', text: quote }),
  ).join('\n'),
  'path/to/scifact/queries.jsonl': FACTS.map(({ topic, number }, i) =>
    JSON.stringify({ _id: `q${i}`, text: `${topic} ${number}` }),
  ).join('\n'),
  'path/to/scifact/qrels/test.tsv': `query-id\tcorpus-id\tscore\n${FACTS.map((_, i) => `q${i}\td${i}\t1`).join('\n')}\n`,
  'a.yaml': 'rag: { retrieval: { topK: 5 } }\n',
  'b.yaml': 'rag: { retrieval: { rerank: { enabled: false } } }\n',
};
const WITH_HOST = 'rag: { chat: { model: "ollama:llama3.2" } }\n';

const isRun = (words: string): boolean =>
  // What has to be fetched, words that stand for something, and what takes a minute and has tests of its own.
  !/Xenova\/|\b[A-Z]{2,}$|^tune /.test(words) && (existsSync(MINILM) || !words.includes('all-MiniLM'));

function commandsOf(page: string): string[] {
  return samplesIn('sh')
    .filter(({ place }) => place.startsWith(`${page}:`))
    .flatMap(({ text }) => text.replaceAll(/\s+#.*$/gm, '').split('\n'))
    .flatMap((line) => /^(?:npx ragstone |ragstone |(?=mv ))(.+)$/.exec(line)?.[1] ?? [])
    .filter(isRun);
}

describe.each(PAGES)('%s', (name) => {
  const page = name === 'README' ? 'README.md' : `docs/${name}.md`;
  const root = mkdtempSync(join(tmpdir(), 'ragstone-commands-'));
  const cwd = join(root, 'project');
  writeFiles(cwd, { ...FILES, ...(name === 'trust' ? { 'ragstone.yaml': WITH_HOST } : {}) });
  writeFiles(join(root, 'other'), { 'ragstone.yaml': WITH_HOST });
  mkdirSync(join(cwd, 'models'));
  if (existsSync(MINILM)) symlinkSync(MINILM, join(cwd, 'models/all-MiniLM-L6-v2'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('has commands, and an index to begin with', async () => {
    expect(commandsOf(page).length).toBeGreaterThan(2);
    if (name !== 'trust') expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  });

  test.each(commandsOf(page))('%s', async (words) => {
    const args = (words.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
    if (words.startsWith('mv ')) return void execFileSync('mv', args.slice(1), { cwd });
    const { code, stderr } = await runRagstone(args, { cwd, input: '\n' });
    const [, expected = 0] = OTHER_CODES.find(([command]) => command.test(words)) ?? [];
    expect({ code, stderr: code === expected ? '' : stderr }).toEqual({ code: expected, stderr: '' });
  });
});
