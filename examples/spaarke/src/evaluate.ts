/** `npm run evaluate`: how often a question finds its document, for each tenant. */
import { clientOf, operatorOf } from './client.js';
import { TENANTS } from './corpus/corpus.js';
import { generateCorpus } from './corpus/generate-corpus.js';
import { evaluate } from './evaluation.js';
import { MIN_SCORE } from './min-score.js';
import { runCommand } from './run-command.js';

const { questions } = generateCorpus();
const percent = (part: number): string => `${Math.round(100 * part)} %`;

await runCommand(async () => {
  console.log(
    `tenant           model          questions  first  in three  kept at ${MIN_SCORE}  at 0.5  nothing for no answer`,
  );
  for (const { id } of TENANTS) {
    const { model } = await operatorOf().getDeployment(id);
    const found = await evaluate(
      questions.filter(({ tenantId }) => tenantId === id),
      clientOf(id),
    );
    console.log(
      [
        id.padEnd(16),
        model.padEnd(14),
        String(found.questions).padEnd(10),
        percent(found.hitAt1).padEnd(6),
        percent(found.hitAt3).padEnd(9),
        percent(found.keptAtMinScore).padEnd(13),
        percent(found.keptAtHalf).padEnd(7),
        percent(found.emptyAtMinScore),
      ].join(' '),
    );
  }
});
