import { analyzeText } from '../../analysis/lexical-analyzer.js';
import { proseAfter, type StarterDocument, type SuggestedQuestion } from './starter-document.js';

/** A heading of fewer words (`Overview`, `Next steps`) asks for nothing in particular. */
const MIN_TERMS = 3;

/** Headings as questions for the text below them; a heading that stands twice in the corpus asks for no one passage. */
export function questionsFromHeadings(documents: readonly StarterDocument[]): SuggestedQuestion[] {
  const byLabel = new Map<string, (SuggestedQuestion | undefined)[]>();
  for (const document of documents) {
    document.blocks.forEach((block, i) => {
      if (block.kind !== 'heading' || block.label === undefined) return;
      const question = block.label.replace(/\s+/g, ' ').trim();
      const key = analyzeText(question).join(' ');
      if (new Set(key.split(' ')).size < MIN_TERMS) return;
      const gold = proseAfter(document, i);
      const suggested =
        gold === undefined ? undefined : ({ type: 'heading', question, gold, alternates: [] } as const);
      byLabel.set(key, [...(byLabel.get(key) ?? []), suggested]);
    });
  }
  return [...byLabel.values()].flatMap(([only, ...others]) =>
    only === undefined || others.length > 0 ? [] : [only],
  );
}
