import type { Findings } from '../../src/answering/compose-answer.js';
import { textOfQuotation } from '../../src/answering/quotation.js';
import { isRight } from '../../src/evaluation/answers/answer-metrics.js';
import { documentationSets, writtenSets } from './documentation.js';

/** A question over documentation of the train side, with what the engine finds for it. */
export interface DocumentedQuestion {
  readonly question: string;
  /** Gold quotes and alternates; none where the documents do not answer. */
  readonly spans: readonly string[];
  readonly found: Findings;
}

export async function askDocumentation(): Promise<DocumentedQuestion[]> {
  const asked: DocumentedQuestion[] = [];
  for await (const { questions, findings } of documentationSets('train'))
    for (const { question, gold, alternates } of questions)
      asked.push({
        question,
        spans: [...gold, ...alternates].map(({ quote }) => quote),
        found: await findings(question),
      });
  for await (const { questions, findings } of writtenSets())
    for (const { question, gold } of questions)
      asked.push({ question, spans: gold.map(({ quote }) => quote), found: await findings(question) });
  return asked;
}

/** Whether the quotation that would be shown answers. */
export function isQuotedRight({ spans, found }: DocumentedQuestion): boolean {
  const [best] = found.evidence.quotations;
  return best !== undefined && isRight(textOfQuotation(best), { spans });
}

/** What each threshold of confidence would withhold, as a table in Markdown. */
export function thresholdTable(asked: readonly DocumentedQuestion[]): string {
  const rows = [0.03, 0.05, 0.07, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.22, 0.25].map((threshold) => {
    const shown = ({ found }: DocumentedQuestion): boolean =>
      found.missing.length === 0 && found.confidence >= threshold;
    const answerable = asked.filter(({ spans }) => spans.length > 0);
    const unanswerable = asked.filter(({ spans }) => spans.length === 0);
    const answered = asked.filter(shown);
    const right = answered.filter(isQuotedRight).length;
    const shares = [
      right / answerable.length,
      right / answered.length,
      1 - answerable.filter(shown).length / answerable.length,
      1 - unanswerable.filter(shown).length / unanswerable.length,
    ];
    return `| ${threshold} | ${shares.map((share) => share.toFixed(3)).join(' | ')} |`;
  });
  return [
    '| threshold | right | right of what is answered | withheld wrongly | withheld rightly |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
