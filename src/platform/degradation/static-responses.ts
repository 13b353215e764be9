import type { StaticResponse } from './degradation-report.js';

/** `rag.degradation.static` */
export interface StaticSetting {
  readonly text: string;
  /** It is given to questions that hold one of these words. @default to every question */
  readonly words?: readonly string[] | undefined;
}

/** The texts for a question: those that are for one of its words, else those that are for every question. */
export function staticResponsesFor(question: string, settings: readonly StaticSetting[]): StaticResponse[] {
  const asked = wordsOf(question);
  const isFor = ({ words = [] }: StaticSetting): boolean =>
    words.some((word) => {
      const wanted = wordsOf(word);
      return wanted.length > 0 && asked.some((_, at) => wanted.every((one, i) => asked[at + i] === one));
    });
  const named = settings.filter(isFor);
  const chosen = named.length > 0 ? named : settings.filter(({ words }) => words === undefined);
  return chosen.map(({ text }) => ({ kind: 'static', text }));
}

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
