/**
 * Measures answering on the reporting halves and writes `docs/research/answer-quality.md` and `docs/research/images/risk-coverage.svg`:
 *
 *   npx tsx tools/answers/measure.ts --data ../shared/data [--json]
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { measureFlags } from '../instruction-flags/measure-flags.js';
import { askXquad } from './data.js';
import { measureFollowUps } from './measure-follow-ups.js';
import { measureInjection } from './measure-injection.js';
import { measureSupport } from './measure-support.js';
import { measureTokens } from './measure-tokens.js';
import { decisionsOf, measureAbstention, measureExtraction } from './measure-xquad.js';
import { type AnswerFigures, qualityPage } from './quality-page.js';
import { riskCoverage } from './rank-statistics.js';
import { riskCoveragePlot } from './risk-coverage-plot.js';

const { values: options } = parseArgs({
  options: { data: { type: 'string', default: '../shared/data' }, json: { type: 'boolean', default: false } },
});
const at = (place: string): string => path.join(options.data, place);

const asked = (await askXquad(at('retrieval/xquad-en'))).filter(({ half }) => half === 'reporting');
const figures: AnswerFigures = {
  extraction: measureExtraction(asked),
  abstention: measureAbstention(asked),
  support: await measureSupport(at('answers/mtrag/reference_subset_with_human_evaluations.json')),
  followUps: await measureFollowUps(at('answers/mtrag/mtragun-reference.jsonl')),
  injection: await measureInjection(at('injection/injection-dev.jsonl'), at('corpora')),
  flags: await measureFlags(at('corpora')),
  tokens: await measureTokens(at('corpora')),
};

await writeFile('docs/research/answer-quality.md', qualityPage(figures));
await writeFile(
  'docs/research/images/risk-coverage.svg',
  riskCoveragePlot(riskCoverage(decisionsOf(asked)), figures.abstention.threshold),
);
console.log(JSON.stringify(figures, null, options.json ? 2 : 1));
