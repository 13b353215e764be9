import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { circumstances } from '../shared/machine.js';
import { assertPlacesExist, LOCAL_RESULTS } from '../shared/places.js';
import { qualityCases, readerCases } from './cases.js';
import { measureChunkers } from './chunkers.js';
import { chunkerTable, writeQualityPage, writeReaderSection } from './quality-page.js';
import { type CaseOutcome, rowsOf, runCase, shown } from './run-case.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    minilm: { type: 'boolean', default: false },
    /** Only the cases of the reader; of the page their section alone is written anew. */
    reader: { type: 'boolean', default: false },
    /** Part of the name of a data set, or `chunkers`: only its cases are run, and no page is written. */
    only: { type: 'string' },
  },
});
/** Name of the measurement that is no data set of `ragstone eval`. */
const CHUNKERS = 'chunkers';
const say = (text: string): void => console.error(text);

assertPlacesExist();
const measured = circumstances();
const outcomes: CaseOutcome[] = [];
const { only, reader } = values;
for (const quality of reader ? readerCases() : qualityCases(values)) {
  if (only !== undefined && !quality.dataset.includes(only)) continue;
  say(`${quality.dataset}, ${quality.mode}, ${quality.embedder}, rerank ${quality.rerank}`);
  outcomes.push(await runCase(quality));
}
const rows = outcomes.flatMap((outcome) => rowsOf(outcome, outcomes));
const chunkers =
  !reader && (only === undefined || only === CHUNKERS)
    ? await measureChunkers({ minilm: values.minilm, say })
    : [];
const write = reader ? writeReaderSection : writeQualityPage;
const page = only === undefined ? write({ circumstances: measured, rows, outcomes, chunkers }) : undefined;

const report = { ...measured, rows, chunkers, reports: outcomes.map((outcome) => outcome.report) };
mkdirSync(LOCAL_RESULTS, { recursive: true });
writeFileSync(join(LOCAL_RESULTS, 'quality.json'), `${JSON.stringify(report, null, 2)}\n`);
if (values.json) console.log(JSON.stringify(report, null, 2));
else {
  for (const { dataset, mode, embedder, rerank, metric, value, low, high, target, met } of rows)
    console.log(
      [
        dataset,
        mode,
        embedder,
        `rerank ${rerank}`,
        metric,
        `${shown(value)} (${shown(low)} to ${shown(high)})`,
        target,
        met === false ? 'MISSED' : '',
      ].join('  '),
    );
  if (only === CHUNKERS) console.log(chunkerTable(chunkers));
  if (page !== undefined) console.log(`\nThe whole table: ${page}`);
}
