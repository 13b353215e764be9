import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { CliContext } from '../../src/faces/cli/context.js';
import { buildProgram } from '../../src/faces/cli/program.js';
import { documentOf, runRagstone } from '../e2e/run-ragstone.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';
import { chatReply } from '../fakes/wire/chat-wire.js';
import { compatibleWire } from '../fakes/wire/openai-wire.js';
import { startWireServer } from '../fakes/wire/wire-server.js';
import { shapeOf } from './json-shape.js';

const KEPT = 'Audit logs are kept for thirty days, then they are deleted.';
const DOCS = {
  'docs/audit.md': `---\ntags: [logs]\n---\n# How long audit logs are kept\n\n${KEPT} The Pay Service writes them. See [the gateway](gateway.md).\n`,
  'docs/gateway.md':
    '# Where the gateway listens\n\nThe gateway of the Pay Service listens on port 8443 of each host of the cluster.\n',
  'docs/copy.md': `# What the auditors asked\n\n${KEPT} The Pay Service was asked for them twice.\n`,
  'docs/broken.pdf': 'no PDF',
};
const named = (name: string) => ({ name, type: 'system', description: 'It is named here.' });
const FACTS = JSON.stringify({
  entities: ['Pay Service', 'Gateway', 'Audit Log'].map(named),
  relations: [{ source: 'Pay Service', target: 'Gateway', type: 'uses', description: 'It listens.' }],
});
const SUMMARY = JSON.stringify({
  title: 'Payments',
  sentences: [{ text: 'The Pay Service has a gateway.', sources: [1] }],
});
const ANSWER = 'Audit logs are kept for thirty days [1]. Nobody reads them on Sundays [1].';

/** Commands that are not run here, and why. */
const NOT_RUN: readonly (readonly [command: string, why: string])[] = [
  ['serve', 'it stays; tests of the service read its line'],
  ['console', 'it stays as `serve` does'],
  ['mcp', 'it speaks MCP'],
  ['worker', 'it takes work from a queue of PostgreSQL'],
  ['import', 'it reads the database of another program'],
  ['migrate', 'it needs a second configuration; its tests read the document'],
  ['deployments validate', 'it needs the server of a customer'],
  ['generations use', 'it needs a second generation'],
  ['generations drop', 'it needs a second generation'],
  ['model add', 'it needs a model'],
  ['model use', 'it needs a model'],
  ['tune', 'it needs more questions than a pin'],
];

/** Folders with a configuration, and the commands that run there one after the other; `$name` is a value that one before printed. */
const RUNS: readonly { readonly settings: string; readonly lines: readonly string[] }[] = [
  {
    settings: `rag:
  provider: libsql
  feedback: { enabled: true }
  audit: { enabled: true }
  conflicts: { enabled: true }
  indexing: { retry: { initialDelay: 6h } }
  sources: [{ type: files, name: docs, paths: [docs] }]
  chat: { model: "ollama:llama3.2", maxRetries: 0, price: { input: 1, output: 2 } }
  modelProviders: { ollama: { baseUrl: "$model/v1" } }
`,
    lines: [
      'try docs audit logs',
      'index --dry-run',
      'index',
      'search how long are audit logs kept',
      'search audit logs --explain',
      'ask how long are audit logs kept',
      'related docs/audit.md',
      'graph estimate',
      'graph extract',
      'graph summarize',
      'graph status',
      'graph summaries',
      'graph entity Gateway',
      'conflicts',
      'explain-miss logs docs/gateway.md',
      'status',
      'health',
      'doctor',
      'verify',
      'failures list',
      'failures retry',
      'sources list',
      'sources status',
      'sources test docs',
      'sync',
      'feedback add logs --clicked 1 --relevant 1 --answer good --comment right',
      'feedback list',
      'feedback judgments --min-clicks 1 --folder docs',
      'eval-init docs',
      'eval docs --questions questions.jsonl',
      'eval docs --questions questions.jsonl --compare retrieval.rerank.enabled=false',
      'profile',
      'rollout show PBI-1',
      'rollout clear',
      'config show',
      'config check',
      'model list',
      'trust',
      'keys create --tenant acme',
      'keys list',
      'keys revoke $id',
      'deployments save acme --model Dedicated',
      'deployments list',
      'deployments show acme',
      'deployments move acme --model Shared',
      'audit',
      'encryption rotate',
      'backup kept.tar',
      'forget --document docs/copy.md --yes',
      'verify --receipt $id',
      'forget --undo $id',
      'reembed --model builtin --dry-run',
      'generations list',
      'clear --yes',
      'restore kept.tar --data restored',
      'search',
    ],
  },
  { settings: '', lines: ['init --force'] },
  {
    settings: 'rag:\n  provider: libsql\n  failover: { secondary: lancedb }\n',
    lines: ['index docs', 'stores list', 'stores use lancedb', 'stores sync', 'stores rebuild libsql'],
  },
];

test('documents that commands print with --json, by the kind of what stands in them', async () => {
  const model = await startWireServer(compatibleWire, (request) => {
    const asked = JSON.stringify(request.body);
    const text = asked.includes('You summarise') ? SUMMARY : asked.includes('entities') ? FACTS : ANSWER;
    return chatReply(compatibleWire, request, { kind: 'answer', text });
  });
  onTestFinished(() => model.close());
  const shapes: string[] = [];
  for (const { settings, lines } of RUNS) {
    const cwd = temporaryFolder({ ...DOCS, 'ragstone.yaml': settings.replace('$model', model.url) });
    const values: Record<string, unknown> = {};
    for (const line of lines) {
      const args = line
        .split(' ')
        .map((word) => (word.startsWith('$') ? String(values[word.slice(1)]) : word));
      const outcome = await runRagstone([...args, '--json'], { cwd });
      const document = documentOf(outcome);
      Object.assign(values, document);
      shapes.push([`${line} (exit code ${outcome.code})`, ...shapeOf(document, DATA)].join('\n'));
    }
  }
  await expect(`${shapes.join('\n\n')}\n`).toMatchFileSnapshot('./json-documents.txt');
});

test('every command is pinned, or it is said why not', () => {
  const run = RUNS.flatMap(({ lines }) => lines);
  const isPinned = (name: string): boolean =>
    run.some((line) => line === name || line.startsWith(`${name} `)) ||
    NOT_RUN.some(([command]) => command === name);
  const program = buildProgram(new CliContext([], new AbortController().signal));
  expect(leavesOf(program, []).filter((name) => !isPinned(name))).toEqual([]);
});

function leavesOf(command: Command, names: readonly string[]): string[] {
  return command.commands.length === 0
    ? [names.join(' ')]
    : command.commands.flatMap((child) => leavesOf(child, [...names, child.name()]));
}

/** Objects whose keys are data: steps that took time are named, others not. */
const DATA = (path: string): boolean => path.endsWith('.stages');
