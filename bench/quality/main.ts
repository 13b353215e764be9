import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, LOCAL_RESULTS } from '../shared/places.js';
import { qualityCases } from './cases.js';
import { measureChunkers } from './chunkers.js';
import { writeQualityPage } from './quality-page.js';
import { type CaseOutcome, rowsOf, runCase, shown } from './run-case.js';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, minilm: { type: 'boolean', default: false } },
});
const say = (text: string): void => console.error(text);

assertPlacesExist();
const measured = circumstances();
const outcomes: CaseOutcome[] = [];
for (const quality of qualityCases(values)) {
  say(`${quality.dataset}, ${quality.mode}, ${quality.embedder}`);
  outcomes.push(await runCase(quality));
}
const rows = outcomes.flatMap((outcome) => rowsOf(outcome, outcomes));
const chunkers = await measureChunkers(say);
const page = writeQualityPage({ circumstances: measured, rows, outcomes, chunkers });

const report = { ...measured, rows, chunkers, reports: outcomes.map(({ report }) => report) };
mkdirSync(LOCAL_RESULTS, { recursive: true });
writeFileSync(join(LOCAL_RESULTS, 'quality.json'), `${JSON.stringify(report, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  for (const { dataset, mode, embedder, metric, value, target, met } of rows)
    console.log(
      [dataset, mode, embedder, metric, shown(value), target, met === false ? 'MISSED' : ''].join('  '),
    );
  console.log(`\nThe whole table: ${page}`);
}
