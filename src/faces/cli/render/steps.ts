import type { ShownAnswer } from '../index-view.js';
import { oneLine, plural } from './text.js';

type Agent = NonNullable<ShownAnswer['agent']>;
type Step = Agent['steps'][number];

const STOPPED: Readonly<Record<Agent['stopped'], string>> = {
  answered: 'nothing was missing any more',
  'no-new-evidence': 'the last steps added nothing',
  steps: 'the limit of steps was reached (--max-steps)',
  tokens: 'the limit of tokens was reached (--max-tokens)',
  cost: 'the limit of costs was reached (--max-cost)',
  deadline: 'the time was over (--deadline-ms)',
};

const LONGEST = 120;

/** Each step of a run on a line of its own, then what ended it. */
export function renderSteps({ steps, stopped, used }: Agent): string {
  const took = used.tokens === 0 ? '' : `, ${plural(used.tokens, 'token')}`;
  const cost = used.cost === undefined ? '' : `, $${used.cost.toFixed(4)}`;
  return [
    ...steps.map(renderStep),
    `stopped: ${STOPPED[stopped]} (${plural(steps.length, 'step')}${took}${cost}, ${used.ms} ms)`,
  ].join('\n');
}

function renderStep({
  step,
  tool,
  why,
  query,
  found,
  new: fresh,
  told,
  problem,
  ms,
  isRepeated,
}: Step): string {
  const outcome = problem ?? told ?? `${found} found, ${fresh} new`;
  const again = isRepeated === true ? ' (asked before)' : '';
  return `step ${step}: ${tool} "${shortened(query)}"${again}, ${shortened(why)}: ${shortened(outcome)}, ${ms} ms`;
}

const shortened = (text: string): string => {
  const line = oneLine(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
};
