/** `npm run search -- TENANT QUESTION`: what a tenant finds, best first. */
import { clientOf } from './client.js';
import { MIN_SCORE } from './min-score.js';
import { runCommand } from './run-command.js';

const [tenantId, ...words] = process.argv.slice(2);
if (tenantId === undefined || words.length === 0) {
  console.error('Usage: npm run search -- TENANT QUESTION');
  process.exit(2);
}
await runCommand(async () => {
  const { results, notices } = await clientOf(tenantId).search({
    query: words.join(' '),
    minScore: MIN_SCORE,
  });
  for (const { score, documentName, documentType, deploymentModel, content } of results) {
    console.log(`${score.toFixed(2)}  ${documentName ?? ''} (${documentType}, ${deploymentModel})`);
    console.log(`      ${content.replaceAll(/\s+/g, ' ').slice(0, 120)}`);
  }
  if (results.length === 0) console.log(`Nothing matches with a score of ${MIN_SCORE} or more.`);
  for (const notice of notices) console.log(notice);
});
