/**
 * Prints what readers of text take too much of the processor for, over shapes that are hard for any of them: growth beyond proportion, and what costs more than
 * a second. Of parsers every one that there is.
 */

import { askedItems } from '../../src/answering/asked-items.js';
import { checkSupport } from '../../src/answering/check-support.js';
import { withPlainCitations } from '../../src/answering/citation-forms.js';
import { exactNamesIn } from '../../src/answering/exact-names.js';
import { numberedNamesIn } from '../../src/answering/numbered-names.js';
import { ratesIn } from '../../src/answering/stated-rates.js';
import { readEvidence } from '../../src/answering/support-features.js';
import { neutralise, neutraliseAnswer, neutraliseLine } from '../../src/context/neutralise.js';
import { analyzeQuery, analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import { passageUnits } from '../../src/core/analysis/passage-units.js';
import { readOperators } from '../../src/core/analysis/query-operators.js';
import { readQueryText } from '../../src/core/analysis/query-text.js';
import { questionParts } from '../../src/core/analysis/question-parts.js';
import { readStackTrace } from '../../src/core/analysis/stack-trace.js';
import { RAGError } from '../../src/core/errors.js';
import { MEDIA_TYPES } from '../../src/core/media-types.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { createRedactor } from '../../src/platform/security/redaction/redactor.js';
import { statementsOf } from '../../src/relations/conflicts/statements.js';
import { withholdText } from '../../src/resources/withheld-fields.js';
import { findAbbreviations } from '../../src/retrieval/understanding/abbreviations.js';
import { docxEntries, docxParagraph, makeZip } from '../fixtures/documents/make-docx.js';
import { makeEpub, makeOdt, makePptx, makeXlsx } from '../fixtures/documents/make-office.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';
import { MEASURED_CHUNKERS } from './measured-chunkers.js';
import { SHAPES } from './shapes.js';

/** In UTF-16 code units. */
const [SHORT, LONG] = [4_000, 40_000];
/** Beyond proportion; the square of the length would be 10 times of it. A busy machine and the collector of garbage take less. */
const TOLERANCE = 4;
/** What is too short to be measured, in milliseconds. */
const CONSTANT_MS = 10;
/** Of the processor. */
const MOST_MS = 1_000;

/** Every so manieth shape; `all` takes each. */
const EVERY = process.argv[2] === 'all' ? 1 : 23;

const xml = (text: string): string => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
/** Formats that are no text, around one. */
const WRAPPED: Readonly<Record<string, (text: string) => Uint8Array>> = {
  [MEDIA_TYPES.docx]: (text) => makeZip(docxEntries(docxParagraph(xml(text)))),
  [MEDIA_TYPES.xlsx]: (text) =>
    makeXlsx({
      sheets: {
        S: `<row r="1"><c r="A1" t="inlineStr"><is><t>${xml(text.slice(0, 30_000))}</t></is></c></row>`,
      },
    }),
  [MEDIA_TYPES.pptx]: (text) =>
    makePptx([`<p:sp><p:txBody><a:p><a:r><a:t>${xml(text)}</a:t></a:r></a:p></p:txBody></p:sp>`]),
  [MEDIA_TYPES.odt]: (text) => makeOdt(`<text:p>${xml(text)}</text:p>`),
  [MEDIA_TYPES.epub]: (text) => makeEpub({ 'a.xhtml': `<p>${xml(text)}</p>` }),
  [MEDIA_TYPES.pdf]: (text) => makePdf([[text]]),
};

const parsers = createParsers();
const readers: Record<string, (text: string) => unknown> = {};
for (const [mediaType, parser] of parsers)
  readers[`parser of ${mediaType}`] = async (text) => {
    const content = WRAPPED[mediaType]?.(text) ?? text;
    try {
      await parser.parse({ externalId: 'a', mediaType, content, metadata: {}, access: OPEN_ACCESS });
    } catch (error) {
      if (!RAGError.isInstance(error)) throw error;
    }
  };
for (const { strategy, chunker } of MEASURED_CHUNKERS) {
  readers[`${strategy} chunks`] = async (text) => {
    const parsed = await parsers.get(MEDIA_TYPES.plainText)?.parse({
      externalId: 'a',
      mediaType: MEDIA_TYPES.plainText,
      content: text,
      metadata: {},
      access: OPEN_ACCESS,
    });
    return parsed && chunker.chunk(parsed).length;
  };
}
for (const ending of ['md', 'txt', 'ts', 'yaml', 'toml', 'ini', 'jsonl', 'pdf', ''])
  readers[`marked fields of .${ending}`] = (text) =>
    withholdText(`${text}\npay: x\n`, ['pay', 'pay_band'], {
      isConverted: true,
      isLines: ending === 'jsonl',
      isOfPages: ending === 'pdf',
      mediaType: ending === 'ts' ? 'text/x-source.typescript' : '',
      calledBy: [ending === '' ? 'a' : `a.${ending}`],
    });
for (const mediaType of ['text/x-rst', 'text/asciidoc', 'text/html'])
  readers[`marked fields of ${mediaType}`] = (text) =>
    withholdText(`${text}\n:pay: x\n`, ['pay'], { isConverted: false, mediaType });
for (const separator of [',', '\t'])
  readers[`marked fields of tables by ${JSON.stringify(separator)}`] = (text) =>
    withholdText(`a${separator}pay\n${text}`, ['pay'], { isConverted: false, separator });
const redactor = createRedactor();
const evidence = readEvidence(['The job runs twice a day on port 443 and may hold 50 MB of the log.']);
Object.assign(readers, {
  redaction: (text: string) => redactor.redactText(text),
  'text for a model': neutralise,
  'text of an answer': neutraliseAnswer,
  'a line for a model': neutraliseLine,
  'units of passages': (text: string) => [
    passageUnits(text),
    passageUnits(text, { symbols: [] }),
    passageUnits(text, { columns: ['a'], rowCount: 1 }),
  ],
  'terms of a text': analyzeText,
  'terms of a query': analyzeQuery,
  'operators of a query': readOperators,
  'text of a query': readQueryText,
  'parts of a question': questionParts,
  'a stack trace': readStackTrace,
  'items that are asked for': askedItems,
  'names that are asked for': (text: string) => [exactNamesIn(text), numberedNamesIn(text)],
  abbreviations: findAbbreviations,
  'statements of a text': statementsOf,
  'rates of a text': ratesIn,
  'citations of an answer': (text: string) => withPlainCitations(text, [{ n: 1, source: 'a.md' }]),
  'a claim': (text: string) => checkSupport(text, evidence),
  evidence: (text: string) => checkSupport('The job runs twice a day.', readEvidence([text])),
} satisfies Record<string, (text: string) => unknown>);

async function processorMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const tooMuch: string[] = [];
for (const [at, [name, read]] of Object.entries(readers).entries()) {
  // Of a grammar on what is no code `maxParseMs` is the limit.
  if (name.includes('x-source')) continue;
  await read('a\n');
  for (const [shape, make] of Object.entries(SHAPES).filter((_, place) => (place + at) % EVERY === 0)) {
    const once = async (length: number): Promise<number> => processorMs(async () => read(make(length)));
    const short = await once(SHORT);
    const most = Math.min(MOST_MS, TOLERANCE * (LONG / SHORT) * (short + CONSTANT_MS));
    const long = await once(LONG);
    // What else a process does, once, is not in all of three.
    if (long > most && (long > 5 * MOST_MS || Math.min(await once(LONG), await once(LONG)) > most))
      tooMuch.push(`${name}, ${shape}: ${Math.round(short)} ms, then ${Math.round(long)} ms`);
  }
}
process.stdout.write(JSON.stringify({ tooMuch, readers: Object.keys(readers).length }));
process.exit();
