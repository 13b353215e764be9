import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTinyBert } from '../../src/reranking/cross-encoder/test-bert-classifier.js';
import { samplesIn } from '../docs/samples.js';
import { openMirror } from './model-mirror.js';
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

/** Where readers find models, and what stands for it here, so that nothing is fetched from elsewhere. */
const PLACES = { mirror: 'https://mirror.example', folder: '/media/models' } as const;
/** What needs the model of the shared data, in a folder or on the mirror. */
const NEEDS_MINILM = /all-MiniLM|e5-small/;

/** What is not run, and why. */
const NOT_RUN: readonly (readonly [command: RegExp, why: string])[] = [
  [/transformers:/, 'it needs a package of 620 MB'],
  [/^tune /, 'it takes a minute and has tests of its own'],
];

/** What ends with another code than 0, what it says, and why. */
const OTHER_CODES: readonly (readonly [command: RegExp, code: number, said: RegExp, why: string])[] = [
  [/^eval-init /, 2, /questions\.jsonl/, 'questions.jsonl is there already, and is not replaced'],
  [
    /^reembed$/,
    2,
    /No model is named/,
    'the configuration of the page, which names the model, is not the one of this folder',
  ],
  [/^reembed --model openai:/, 2, /OPENAI_API_KEY/, 'there is no key'],
  [/^init --example /, 2, /not empty/, 'the folder is not empty; tools/examples runs it in one that is'],
  [
    /^model use all-MiniLM-L6-v2(?: --from https:.*)?$/,
    2,
    /MODEL_INVALID.*another file/,
    'the mirror has another file than the one with the pinned hash, which the hub alone has',
  ],
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
  'docs/audit.md':
    '# Audit logs and ports\n\nAudit logs are kept for 30 days. The gateway listens on port 8443.\n',
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

function commandsOf(page: string): string[] {
  return samplesIn('sh')
    .filter(({ place }) => place.startsWith(`${page}:`))
    .flatMap(({ text }) => text.replaceAll(/\s+#.*$/gm, '').split('\n'))
    .flatMap((line) => /^(?:npx ragstone |ragstone |(?=mv ))(.+)$/.exec(line)?.[1] ?? []);
}

const fileOf = (name: string): string => (name === 'README' ? 'README.md' : `docs/${name}.md`);

/** The first entry that a command matches. */
const entryFor = <T extends readonly [RegExp, ...unknown[]]>(words: string, entries: readonly T[]) =>
  entries.find(([command]) => command.test(words));

let mirror: string;
let reranker: string;
beforeAll(async () => {
  reranker = mkdtempSync(join(tmpdir(), 'reranker-'));
  await writeTinyBert(reranker);
  mirror = await openMirror((id) => (id.includes('ms-marco') ? reranker : MINILM));
});
afterAll(() => rmSync(reranker, { recursive: true }));

describe.each(PAGES)('%s', (name) => {
  const commands = commandsOf(fileOf(name)).filter((words) => entryFor(words, NOT_RUN) === undefined);
  const root = mkdtempSync(join(tmpdir(), 'ragstone-commands-'));
  const cwd = join(root, 'project');
  writeFiles(cwd, { ...FILES, ...(name === 'trust' ? { 'ragstone.yaml': WITH_HOST } : {}) });
  writeFiles(join(root, 'other'), { 'ragstone.yaml': WITH_HOST });
  mkdirSync(join(cwd, 'models'));
  if (existsSync(MINILM)) symlinkSync(MINILM, join(cwd, 'models/all-MiniLM-L6-v2'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('has commands, and an index to begin with', async () => {
    expect(commands.length).toBeGreaterThan(2);
    if (name !== 'trust') expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  });

  for (const words of commands)
    test.skipIf(NEEDS_MINILM.test(words) && !existsSync(MINILM))(words, async () => {
      const here = words.replace(PLACES.mirror, mirror).replace(PLACES.folder, 'models');
      const args = (here.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
      if (words.startsWith('mv ')) return void execFileSync('mv', args.slice(1), { cwd });
      const env = { HF_ENDPOINT: mirror };
      const { code, stderr } = await runRagstone(args, { cwd, env, input: '\n' });
      const [, expected = 0, said = /^/] = entryFor(words, OTHER_CODES) ?? [];
      expect({ code, stderr: code === expected ? '' : stderr }).toEqual({ code: expected, stderr: '' });
      expect(stderr).toMatch(said);
    });
});

test.each([...[...NOT_RUN, ...OTHER_CODES].map(([command]) => command), ...Object.values(PLACES)])(
  'a page has the command that %s is about',
  (command) => {
    const all = PAGES.flatMap((name) => commandsOf(fileOf(name)));
    expect(all.filter((words) => words.match(command) !== null)).not.toEqual([]);
  },
);
