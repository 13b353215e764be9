import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { steeringIn } from '../hostile/steering.js';
import { runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

/** Colours, conceal, a cursor that moves, a link, a title, an eight-bit sequence, and text that runs the other way. */
const ESCAPES =
  '\x1b[31mred\x1b[8m\x1b[2J\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\\x1b]0;title\x07\x9b2J\x08\x7f\u202etxt\u2066\u200f\u2028\u0085\r';
// File systems and Git take no zero character and no slash in a name.
const NAME = 'N\x1b[31m\x1b]0;t\x07\u009b2J\u202eemaN\u2066';

const document = `---
title: ${JSON.stringify(`Guide ${ESCAPES}`)}
owner: ${JSON.stringify(ESCAPES)}
---
# Retention ${ESCAPES}

Audit logs are kept for ninety days ${ESCAPES} and then deleted (Audit Log Service, ALS).

See [the other guide](other.md). The ALS ${ESCAPES} writes them.
`;

const QUESTIONS = `${JSON.stringify({ id: `q${ESCAPES}`, question: `how long are logs kept ${ESCAPES}`, relevant: ['guide.md'] })}\n`;

function plant(): string {
  const folder = temporaryFolder({
    'docs/guide.md': document,
    'docs/other.md': `# Other ${ESCAPES}\n\nHow long audit logs are kept ${ESCAPES}: see [the guide](guide.md).\n`,
    [`docs/${NAME}.md`]: document,
    [`docs/${NAME}.json`]: `{"broken": ${ESCAPES}`,
    'questions.jsonl': QUESTIONS,
    'bugs.json': JSON.stringify([{ id: ESCAPES }]),
    'code/guide.md': document,
    [`code/${NAME}.md`]: document,
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: `${folder}/code`,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '-A');
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub${NAME}`);
  git('commit', '-qm', 'one');
  writeFiles(folder, {
    'ragstone.yaml': JSON.stringify({
      rag: {
        sources: [
          { name: 'docs', type: 'files', root: 'docs' },
          { name: 'code', type: 'git', repository: 'code', metadata: { team: ESCAPES } },
          { name: 'bugs', type: 'pbi_json', root: '.', paths: ['bugs.json', `missing${NAME}.json`] },
        ],
      },
    }),
  });
  return folder;
}

it('nothing that a document, a name or a repository holds steers the terminal, in no command', async () => {
  const cwd = plant();
  const commands = [
    ['index', '--dry-run'],
    ['index', '--log-level', 'debug'],
    ['index', `docs/${NAME}.md`],
    ['index', `missing${ESCAPES}`],
    ['sources', 'list'],
    ['sources', 'test', 'docs'],
    ['sources', 'test', 'code', '--json'],
    ['sources', 'test', 'code'],
    ['sources', 'test', 'bugs'],
    ['search', 'how long are audit logs kept', '--explain'],
    ['search', `logs ${ESCAPES}`, '--json'],
    ['ask', `how long are audit logs kept ${ESCAPES}`, '--stream'],
    ['explain-miss', `how long are logs kept ${ESCAPES}`, 'guide.md'],
    ['explain-miss', 'logs', `no${ESCAPES}`, '--json'],
    ['status'],
    ['verify'],
    ['eval', '--questions', 'questions.jsonl'],
    ['eval-init', 'docs', '--out', 'written.jsonl'],
    ['try', 'docs', 'how long are audit logs kept'],
    ['tune', '--questions', 'questions.jsonl'],
    ['config', 'check'],
    ['config', 'show'],
    ['model', `x${ESCAPES}`],
    ['init', '--config', `y${NAME}`],
    ['clear', '--yes'],
    [`no${ESCAPES}`],
  ];
  let said = '';
  for (const args of commands) {
    const { stdout, stderr } = await runRagstone(args, { cwd });
    expect({ args, steers: steeringIn(stdout + stderr) }).toEqual({ args, steers: undefined });
    said += stdout + stderr;
  }
  for (const part of ['ninety days', 'N[31m', 'submodule', 'missing[31m']) expect(said).toContain(part);
});
