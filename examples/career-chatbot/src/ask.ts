/** `npm run ask -- QUESTION`: the four modes side by side, or the one of `--mode`. */
import { parseArgs } from 'node:util';
import { MODES, sourcesOf } from './chatbot.js';
import { readKnowledge } from './knowledge.js';
import { RagService } from './rag-service.js';
import { openEngine } from './settings.js';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { mode: { type: 'string' } } });
const question = positionals.join(' ');
const modes = MODES.filter((mode) => values.mode === undefined || values.mode === mode);
if (question === '' || modes.length === 0) {
  console.error(`npm run ask -- [--mode ${MODES.join('|')}] QUESTION`);
  process.exit(2);
}

const engine = await openEngine();
try {
  await new RagService(engine).ingestTexts(readKnowledge());
  for (const mode of modes) {
    const answer = await engine.ask({ question, mode });
    const { tokens } = answer.context;
    const steps = answer.agent === undefined ? '' : `, ${answer.agent.steps.length} steps`;
    console.log(`${mode} (${answer.outcome}${steps}; context ${tokens.used} of ${tokens.budget} tokens)`);
    console.log(`  ${answer.answer.replaceAll('\n', '\n  ')}`);
    for (const { n, title = '', date = '', metadata } of sourcesOf(answer))
      console.log(`  [${n}] ${String(metadata.document_id)}, ${date.slice(0, 10)}: ${title}`);
  }
} finally {
  await engine.close();
}
