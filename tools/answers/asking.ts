import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Findings } from '../../src/answering/compose-answer.js';
import { unchangedQuestion } from '../../src/answering/follow-up.js';
import { gatherFindings } from '../../src/answering/gather-findings.js';
import { loadConfig } from '../../src/config/load-config.js';
import type { Filter } from '../../src/core/filter.js';
import { LOCAL_SCOPE, scopeOf } from '../../src/core/scope.js';
import { engineOver } from '../../src/engine/create-engine.js';
import type { CreateEngineOptions, Engine } from '../../src/index.js';
import { EngineResources } from '../../src/resources/engine-resources.js';
import { answerDependencies } from '../../src/searching/run-ask.js';

/** An engine in memory, and what its answers rest on. */
export interface Asking {
  readonly engine: Engine;
  /** What `ask` knows of a question before it decides what to say. */
  findings(question: string, filter?: Filter): Promise<Findings>;
  close(): Promise<void>;
}

export async function openAsking(config: CreateEngineOptions['config'] = {}): Promise<Asking> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ragstone-answers-'));
  const resolved = await loadConfig({ config: { provider: 'memory', ...config }, dataDir });
  const resources = new EngineResources(resolved);
  const engine = engineOver(resources, process.cwd());
  return {
    engine,
    findings: async (question, filter) =>
      gatherFindings({
        request: { question },
        dependencies: await answerDependencies({ question, filter }, scopeOf(LOCAL_SCOPE), resources),
        standalone: unchangedQuestion(question),
        model: undefined,
        notices: [],
      }),
    close: async () => {
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
