import type { AgentLimits, AgentTools, GatherEvidence } from './agent.js';
import { gatherByRules } from './gather-by-rules.js';
import { AgentRun } from './run.js';

/** Gathers evidence for questions with tools, within limits. */
export const evidenceGatherer =
  (tools: AgentTools, limits: AgentLimits): GatherEvidence =>
  (request) => {
    const run = new AgentRun(request, limits);
    return gatherByRules(request, tools, run);
  };
