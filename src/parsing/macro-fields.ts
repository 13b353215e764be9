import { madeOnce } from '../core/made-once.js';
import { endOfBracket } from './closed-brackets.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';

/** Macros by the names that are looked for. */
const macroOf = madeOnce((labelOf: Label): RegExp => {
  const command = String.raw`(?<=\\(?:[A-Za-z@]{1,40}\*?[ \t]{0,4}[{[][ \t]{0,4}(?:\\|[\w.-]{0,40}/)?|[A-Za-z@]{1,40}\\|csname )?)`;
  const before = String.raw`(?:\\endcsname)?\*?[ \t]{0,4}[}\]]?(?:[ \t]{0,4}\[[^\]\n]{0,80}\]){0,2}(?:#\d){0,9}\s{0,20}(?=\{)`;
  const key = String.raw`(?<=[{,]\s{0,20}(?:[\w./-]{0,60}/)?)`;
  return new RegExp(
    String.raw`(?:${command}[A-Za-z@]{0,20}?(?<macro>${labelOf.source})[A-Za-z@]{0,20}${before}|${key}(?<key>${labelOf.source})(?:/\.[a-z]{1,20})?\s{0,8}=\s{0,8}(?:(?=\{)|(?<value>[^,{}\s][^,{}\n]{0,400}))|(?<=\\begin\{)(?<environment>${labelOf.source})\}|(?<=\\item[ \t]{0,4}\[[^\]\n]{0,40})(?<item>${labelOf.source})[^\]\n]{0,40}\])`,
    'giu',
  );
});

/**
 * Where macros of TeX state fields: what stands in braces behind a name or in an environment of it (`\newcommand{\salaryband}{B7}`, `\salaryband{B7}`) or behind an item of it, and values of keys
 * (`\setkeys{salary_band=B7}`). Braces stay, so that the rest can be read.
 */
export function macroFields(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!text.includes('\\') || !labelOf.occursIn(text)) return [];
  return [...text.matchAll(macroOf(labelOf))].flatMap(({ index, 0: all, groups = {} }) => {
    const behind = index + all.length;
    const { macro, key, value, environment, item } = groups;
    if (item !== undefined) {
      const length = text.slice(behind, behind + MAX_ENVIRONMENT).search(/\\(?:item\b|end\{)|$/);
      return [{ start: behind, end: behind + length, names: labelOf(item) }];
    }
    if (environment !== undefined) {
      const length = text.slice(behind, behind + MAX_ENVIRONMENT).indexOf(String.raw`\end{${environment}}`);
      return length < 0 ? [] : [{ start: behind, end: behind + length, names: labelOf(environment) }];
    }
    const closing = value === undefined ? endOfBracket(text, behind, MAX_ARGUMENT) : undefined;
    if (value === undefined && closing === undefined) return [];
    const range =
      value === undefined
        ? { start: behind + 1, end: (closing ?? behind) - 1 }
        : { start: behind - value.length, end: behind };
    return [{ ...range, names: labelOf(macro ?? key ?? '') }];
  });
}

/** In UTF-16 code units. */
const MAX_ARGUMENT = 20_000;
const MAX_ENVIRONMENT = 4_000;
