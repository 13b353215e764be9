import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChoosingModel } from '../answering/agentic/test-agent.js';
import { ScriptedChatModel, saying } from '../answering/test-answering.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';
import type { CreateEngineOptions } from '../operations/engine-options.js';

const FILLER = [...Array(30).keys()].map((n) => ({
  id: `filler-${n}.md`,
  text: `# Release ${n}\n\nRelease ${n} of the gateway changed logs, ports and certificates of the audit.`,
}));

const AUDIT = {
  id: 'guides/audit.md',
  text: '# Audit\n\nAudit logs are kept as the [retention policy](../policies/retention.md) says.',
};
const POLICY = { id: 'policies/retention.md', text: '# Policy\n\nEverything is deleted after 45 days.' };
const GATEWAY = { id: 'gateway.md', text: '# Gateway\n\nThe gateway listens on port 8443.' };
const DOCUMENTS = [AUDIT, POLICY, GATEWAY];

describe('engine.ask with the mode agentic', () => {
  let folder: string;
  const engines: Engine[] = [];

  const open = async (options: Partial<CreateEngineOptions> = {}): Promise<Engine> => {
    const engine = await createEngine({
      config: { provider: 'memory' },
      cwd: folder,
      dataDir: join(folder, `data-${engines.length}`),
      ...options,
    });
    engines.push(engine);
    return engine;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ragstone-agentic-'));
  });

  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('finds by a link what the question has no word of, and tells each step', async () => {
    const engine = await open();
    await engine.index({ documents: [...DOCUMENTS, ...FILLER] });
    const question = 'How long are audit logs kept by the retention policy?';
    const answer = await engine.ask({ question, mode: 'agentic', topK: 3, answerer: 'extractive' });
    expect(answer.mode).toBe('agentic');
    expect(answer.agent?.steps[0]).toMatchObject({ step: 1, tool: 'search', query: question });
    expect(answer.sources.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['guides/audit.md', 'policies/retention.md']),
    );
    expect(answer.agent?.used.steps).toBe(answer.agent?.steps.length);
  });

  it('never leaves the tenant and the groups of the asker, by links or by searches', async () => {
    const engine = await open();
    const own = { tenant: 'own', groups: ['staff'], clearance: 0 };
    const staff = { groups: ['staff'] };
    await engine.index({ documents: [{ ...AUDIT, access: staff }] }, own);
    await engine.index(
      { documents: [{ ...POLICY, access: { groups: ['board'] } }] },
      { ...own, groups: ['board'] },
    );
    await engine.index(
      { documents: [POLICY, GATEWAY] },
      { tenant: 'other', groups: ['staff'], clearance: 9 },
    );
    const answer = await engine.ask(
      {
        question: 'How long are audit logs kept by the retention policy, and which port has the gateway?',
        mode: 'agentic',
      },
      own,
    );
    expect(new Set(answer.sources.map(({ source }) => source))).toEqual(new Set(['guides/audit.md']));
    expect(JSON.stringify(answer)).not.toContain('45 days');
    expect(JSON.stringify(answer)).not.toContain('8443');
  });

  it('keeps the filters of the question in every step', async () => {
    const engine = await open();
    await engine.index({
      documents: DOCUMENTS.map((document, at) => ({
        ...document,
        metadata: { kind: at === 1 ? 'policy' : 'guide' },
      })),
    });
    const answer = await engine.ask({
      question: 'How long are audit logs kept by the retention policy?',
      mode: 'agentic',
      filters: { metadata: { kind: 'guide' } },
    });
    expect(answer.sources.map(({ source }) => source)).not.toContain('policies/retention.md');
  });

  it('refuses a limit of steps with another mode, and limits that do not exist', async () => {
    const engine = await open();
    const asked = { question: 'How long?', limits: { maxSteps: 2 } };
    await expect(engine.ask(asked)).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
    await expect(
      engine.ask({ ...asked, mode: 'agentic', limits: { maxStep: 2 } as object }),
    ).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  });

  it('asks outside of the index only where a program hands that in and the index has nothing', async () => {
    const asked: string[] = [];
    const externalSearch = {
      name: 'web',
      search: async (query: string) => {
        asked.push(query);
        return [
          {
            title: 'Chapel',
            url: 'https://example.com/chapel',
            text: 'Michelangelo painted the ceiling of the chapel.',
          },
        ];
      },
    };
    const engine = await open({ externalSearch });
    await engine.index({ documents: [GATEWAY] });
    const question = 'Who painted the ceiling of the chapel?';
    await engine.ask({ question });
    expect(asked).toEqual([]);
    const answer = await engine.ask({ question, mode: 'agentic', abstainBelow: 0 });
    expect(asked).toEqual([question]);
    expect(answer.sources).toContainEqual(
      expect.objectContaining({ source_type: 'external', url: 'https://example.com/chapel' }),
    );
  });

  it('a model chooses steps and writes; where too little is left of a limit, passages are quoted and it says why', async () => {
    const chooser = new ChoosingModel((call) =>
      call === 1
        ? { action: 'search', why: 'the port', query: 'gateway port' }
        : { action: 'finish', why: '' },
    );
    const writer = new ScriptedChatModel(() => saying('The gateway listens on port 8443 [1].'));
    const chatModel = Object.assign(writer, { generateObject: chooser.generateObject });
    const engine = await open({ chatModel });
    await engine.index({ documents: DOCUMENTS });
    const asked = { question: 'Which port has the gateway?', mode: 'agentic' as const, abstainBelow: 0 };
    const answer = await engine.ask(asked);
    expect(answer).toMatchObject({ answerer: 'chat', agent: { by: 'model', stopped: 'answered' } });
    const short = await engine.ask({ ...asked, limits: { maxTokens: 900 } });
    expect(short).toMatchObject({ answerer: 'extractive', fallback: { reason: 'AGENT_LIMIT' } });
    expect(short.agent?.used.tokens).toBeLessThanOrEqual(900);
  });
});
