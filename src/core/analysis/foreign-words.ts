/**
 * Grammar of German, Spanish, French, Italian and Dutch that is no English word: a question with one of them is not English. A
 * few frequent words of each are enough, for hardly a question does without.
 */
const FOREIGN_GRAMMAR: ReadonlySet<string> = new Set(
  [
    'der und ist wie wo wer warum worum welche welcher welches wird werden nicht ein eine einen einem einer für mit bei vom zum zur auf aus nach über unter wenn oder auch sich es geht gibt kann ich wir sie',
    'las una que qué cómo cuál cuándo dónde quién por para del es está están cuántos cuántas cuánto su sus como más',
    'les une est sont dans pour avec quel quelle quels quelles comment pourquoi qui où du aux cette elle nous vous',
    'gli è sono nel nella della dei delle che come perché quale quando dove',
    'het een zijn wordt hoe waarom welke voor niet naar',
  ]
    .join(' ')
    .split(' '),
);
/** Whether a word is of the grammar of one of these languages. */
export const isForeignGrammar = (word: string): boolean => FOREIGN_GRAMMAR.has(word.toLowerCase());

const foreignWordsIn = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/\p{L}+/gu) ?? []).filter(isForeignGrammar));

/** Whether a text says, by its grammar, that it is in one of these languages. */
export const isForeignText = (text: string): boolean => foreignWordsIn(text).size > 0;

/** Whether a text is hardly English: it has two such words, or one that English letters do not spell. */
export function isForeignQuestion(text: string): boolean {
  const words = foreignWordsIn(text);
  return words.size > 1 || [...words].some((word) => /[^a-z]/u.test(word));
}
