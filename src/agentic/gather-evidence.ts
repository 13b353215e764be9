import { RAGError } from '../core/errors.js';
import {
  type AgentLimits,
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

/**
 * Gathers evidence for questions with tools, within limits: first for the question as it is, then in steps that a language model chooses,
 * or rules where there is none.
 *
 * @throws RAGError `USAGE` for a limit that does not exist or is out of its range
 */
export const evidenceGatherer =
  (tools: AgentTools, limits: StatedLimits = {}): GatherEvidence =>
  async (request) => {
    const run = new AgentRun(request, withDefaults(limits));
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

/** The lowest value of each: a run does its first step at least. */
const LEAST: AgentLimits = { maxSteps: 1, maxTokens: 0, maxCost: 0, deadlineMs: 1 };

function withDefaults(stated: StatedLimits): AgentLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(stated)) {
    if (value === undefined) continue;
    if (!isLimit(name))
      throw new RAGError('USAGE', `There is no limit "${name}"; use ${Object.keys(LEAST).join(', ')}.`);
    if (!(Number.isFinite(value) && value >= LEAST[name]))
      throw new RAGError('USAGE', `The limit "${name}" must be a number from ${LEAST[name]} up.`);
    limits[name] = value;
  }
  return limits;
}

const isLimit = (name: string): name is keyof AgentLimits => Object.hasOwn(LEAST, name);
