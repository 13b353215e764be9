/** `npm start`: makes the history's runs, brings the index in step, and lets the waiting items through the pipeline. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMonitoring } from 'ragstone';
import { readIssues, SAMPLE } from './issues.js';
import { openIndex } from './open-index.js';
import { runPipeline } from './pipeline.js';
import { noticesOf, reportOf, rolloutOf } from './report.js';
import { makeRuns } from './runs.js';
import { PROJECT, serviceVariables } from './settings.js';

const folder = fileURLToPath(PROJECT);
const output = join(folder, 'output');
const { env } = process;

async function start(): Promise<void> {
  if (env.SERVICES_URL !== undefined) Object.assign(env, serviceVariables(env.SERVICES_URL));
  const waiting = makeRuns(readIssues(env.ISSUES ?? SAMPLE), { folder: output });
  const { engine, indexed, notice } = await openIndex({
    folder,
    services: env.SERVICES_URL,
    chroma: env.CHROMA_URL,
  });
  const monitoring = await startMonitoring(engine, {
    name: 'chef',
    write: (line) => console.error(line),
  });
  try {
    if (notice !== undefined) console.log(notice);
    const { stats } = indexed;
    for (const { source, message } of stats.errors) console.log(`${source}: ${message}`);
    console.log(`Indexed ${stats.documentsProcessed} documents, ${stats.documentsUnchanged} were unchanged.`);
    const enriched = await runPipeline(waiting, { engine, output });
    for (const line of noticesOf(enriched)) console.log(`Notice: ${line}`);
    for (const line of rolloutOf(enriched)) console.log(line);
    for (const item of enriched) console.log(reportOf(item));
  } finally {
    await monitoring.stop();
    await engine.close();
  }
}

start().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
