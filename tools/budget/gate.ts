/** `tsx tools/budget/gate.ts PID`: what the steps of `.ci/run`, which is that process, took together. It fails nothing: stores that changed are tested in it too. */
import { judge } from './budget.js';
import { readBudget } from './budget-file.js';
import { childSeconds, loopSeconds, median } from './measure.js';

const seconds = childSeconds(process.argv[2]);
if (seconds === undefined) console.error(`The processor time cannot be measured on ${process.platform}.`);
else {
  const figures = { loops: seconds / median(loopSeconds()), parts: {} };
  for (const line of judge('gate', figures, readBudget().gate).lines) console.error(line);
}
