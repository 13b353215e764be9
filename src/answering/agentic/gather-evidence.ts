import {
  type AgentRequest,
  type AgentStopReason,
  type AgentTools,
  DEFAULT_LIMITS,
  type GatherEvidence,
  type StatedLimits,
} from './agent.js';
import { AgentRun } from './agent-run.js';
import { followModel } from './follow-model.js';
import { followRules, wholeQuestion } from './follow-rules.js';
import { checkedLimits } from './run-limits.js';

/**
 * Gathers evidence for questions with tools, within limits: first for the question as it is, then in steps that a language model chooses,
 * or rules where there is none.
 *
 * @throws RAGError `USAGE` for a limit that does not exist or is out of its range
 */
export const evidenceGatherer =
  (tools: AgentTools, limits: StatedLimits = {}): GatherEvidence =>
  async (request) => {
    const run = new AgentRun(request, checkedLimits(limits, DEFAULT_LIMITS));
    const { model } = request;
    const by = model === undefined ? 'rules' : 'model';
    return run.end(by, await gather(request, tools, run));
  };

async function gather(request: AgentRequest, tools: AgentTools, run: AgentRun): Promise<AgentStopReason> {
  const first = await run.do(wholeQuestion(request));
  if (typeof first === 'string') return first;
  const { model } = request;
  return model === undefined
    ? followRules(request, tools, run)
    : followModel({ ...request, model }, tools, run);
}
