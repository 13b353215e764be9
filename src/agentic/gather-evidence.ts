import type { AgentLimits, AgentRequest, AgentTools, GatherEvidence, StopReason } from './agent.js';
import { AgentRun } from './agent-run.js';
import { followModel } from './follow-model.js';
import { followRules, wholeQuestion } from './follow-rules.js';

/**
 * Gathers evidence for questions with tools, within limits: first for the question as it is, then in steps that a language model chooses,
 * or rules where there is none.
 */
export const evidenceGatherer =
  (tools: AgentTools, limits: AgentLimits): GatherEvidence =>
  async (request) => {
    const run = new AgentRun(request, limits);
    const { model } = request;
    const by = model === undefined ? 'rules' : 'model';
    return run.end(by, await gather(request, tools, run));
  };

async function gather(request: AgentRequest, tools: AgentTools, run: AgentRun): Promise<StopReason> {
  const first = await run.do(wholeQuestion(request));
  if (typeof first === 'string') return first;
  const { model } = request;
  return model === undefined
    ? followRules(request, tools, run)
    : followModel({ ...request, model }, tools, run);
}
