import { madeOnce } from '../core/made-once.js';
import { endOfBracket } from './closed-brackets.js';
import { type Label, labelReader } from './label-reader.js';
import type { StatedFields } from './markdown/stated-names.js';

/** A text in quotation marks, on one line, with what languages write before it. */
const QUOTED = String.raw`[fbrul@$]{0,2}(?:"(?:[^"\\\n]|\\.){1,400}"|'(?:[^'\\\n]|\\.){1,400}'|\x60(?:[^\x60\\]|\\.){1,400}\x60)`;
const LITERAL = String.raw`(?:${QUOTED}|[-+]?\d[\w.,%]{0,40})`;
/** What a type may be made of; nothing that ends a statement. */
const TYPE = String.raw`[\p{L}_][\p{L}\p{N}_.<>\[\]| ?*&]{0,60}?`;
/** Before a name: what sets it, and the marks of variables. */
const SETTER = '(?:(?:set|with|put|add|update|change)_?)?';

/**
 * Between a name and its value, beside `name = value` and `name: value`: a type, accessors, a default of SQL, a case of a query, and the
 * bracket of what sets it. What closes a call is looked for behind the value.
 */
const DECLARED = [
  String.raw`[?!]?[ \t]*:[ \t]*${TYPE}[ \t]*=(?![=>])\s{0,40}\(?\s{0,40}`,
  String.raw`[ \t]*\{[^{}\n]{0,60}\}[ \t]*=[ \t]*`,
  String.raw`["'\x60]?[ \t]+[^,;\n]{1,80}?[ \t]default[ \t]+\(?`,
  String.raw`[ \t]+[\p{L}_][\p{L}\p{N}_.]{0,40}[ \t]*=(?![=>])[ \t]*`,
  String.raw`[ \t]*=[ \t]*\d{1,9}[ \t]*\[[^\]\n]{0,200}?\bdefault[ \t]*=[ \t]*`,
  String.raw`[ \t]+when[ \t]+`,
];

/** Expressions by the names that are looked for. */
const formsOf = madeOnce((labelOf: Label): readonly RegExp[] => {
  const name = `(?<name>${labelOf.source})`;
  return [
    // `salary: string = 'B7'`.
    String.raw`(?<![\p{L}\p{N}_])${name}["'\x60]?(?:${DECLARED.join('|')})${LITERAL}`,
    // `setSalary('B7')`, `.salary("B7")`.
    String.raw`(?<![\p{L}\p{N}_])${SETTER}${name}[ \t]{0,4}\([ \t]{0,4}${LITERAL}(?=[ \t]{0,4}\))`,
    // `put("salary", "B7")`, `setattr(ann, 'salary', 'B7')`.
    String.raw`(?<=["'\x60:])(?:x-)?${name}["'\x60]?[ \t]{0,4},\s{0,40}${LITERAL}(?=\s{0,40}\))`,
    // `--salary B7`, `-Salary 'B7'`.
    String.raw`(?<=(?:^|[ \t\x60("'])--?)${name}[ \t]+(?:${QUOTED}|(?![-|>&;\\])[^\s\x60"')]{1,200})`,
    // `export SALARY=B7`, `ENV SALARY B7`.
    String.raw`^[ \t]*(?:export|env|arg|setenv|declare(?:[ \t]+-\w+)?)[ \t]+${name}[ \t]*[= \t][ \t]*(?:${QUOTED}|(?![$(])[^\s;&|#"'\x60]{1,200})`,
  ].map((form) => new RegExp(form, 'gimu'));
});

/** What one of several expressions finds of the names, whole. */
const fieldsBy =
  (expressionsOf: (labelOf: Label) => readonly RegExp[]) =>
  (text: string, names: readonly string[]): StatedFields[] => {
    const labelOf = labelReader(names);
    if (!labelOf.occursIn(text)) return [];
    return expressionsOf(labelOf).flatMap((form) =>
      [...text.matchAll(form)].map(({ index, 0: all, groups: { name = '' } = {} }) => ({
        start: index,
        end: index + all.length,
        names: labelOf(name),
      })),
    );
  };

/**
 * Where programs and command lines state fields otherwise than by a name and a sign: behind a type, as what is handed to a call that sets it, behind
 * its name as a text, and as an option. Literal values alone, for others are parts of a program.
 */
export const programFields = fieldsBy(formsOf);

/** Calls that compare what they are handed. */
const COMPARING = String.raw`(?:\w{0,10}assert\w{0,40}|expect\w{0,40}|\w{0,20}equals?\w{0,20}|eq|is|verify|check)`;
/** What a name is read from: `p.`, `self.person().`, `$p->`, `d["`. */
const OWNER = String.raw`(?:[\p{L}_$][\p{L}\p{N}_$]{0,40}(?:\(\)|\[\w{1,20}\])?(?:\?\.|\.|->|::|\[["']?)){0,5}`;
const comparedOf = madeOnce((labelOf: Label): readonly RegExp[] => {
  const name = String.raw`(?<![\p{L}\p{N}])(?:(?:get|is|has)_?)?(?<name>${labelOf.source})(?![\p{L}\p{N}_])`;
  const sign = String.raw`[ \t]{0,4}(?:[!=]==?|<>|[<>]=?|=(?!=))[ \t]{0,4}`;
  const forms = [
    // `"B7" == p.salary_band`, `'B7' = salary_band`, `"B7".equals(p.getSalaryBand())`.
    String.raw`${LITERAL}(?:${sign}|\)?\.(?:eq\w{0,20}|to(?:Be|Equal|Strict|Contain)\w{0,20})\()[ \t]{0,4}${OWNER}`,
    // `assertEquals("B7", p.getSalaryBand())`.
    String.raw`(?=["'\x60\w@$+-])(?<=\b${COMPARING}[ \t]{0,4}\([^()\n]{0,200})${LITERAL}[ \t]{0,4},\s{0,40}${OWNER}`,
  ].map((form) => new RegExp(form + name, 'gimu'));
  // `p.getSalaryBand() == "B7"`, `assertEquals(p.getSalaryBand(), "B7")`.
  const behind = String.raw`(?<=[gG]et_?)(?<name>${labelOf.source})\(\)(?:${sign}|,\s{0,40}|\)?\.(?:eq\w{0,20}|to(?:Be|Equal|Strict|Contain)\w{0,20})\()${LITERAL}`;
  return [...forms, new RegExp(behind, 'gimu')];
});

/** Where programs compare fields with literals, most of which stand in front of the name, up to the name. */
export const comparedFields = fieldsBy(comparedOf);

/** Macros by the names that are looked for. */
const macroOf = madeOnce((labelOf: Label): RegExp => {
  const command = String.raw`(?<=\\(?:[A-Za-z@]{1,40}\*?[ \t]{0,4}[{[][ \t]{0,4}(?:\\|[\w.-]{0,40}/)?|[A-Za-z@]{1,40}\\|csname )?)`;
  const before = String.raw`(?:\\endcsname)?\*?[ \t]{0,4}[}\]]?(?:[ \t]{0,4}\[[^\]\n]{0,80}\]){0,2}(?:#\d){0,9}\s{0,20}(?=\{)`;
  const key = String.raw`(?<=[{,]\s{0,20}(?:[\w./-]{0,60}/)?)`;
  return new RegExp(
    String.raw`(?:${command}[A-Za-z@]{0,20}?(?<macro>${labelOf.source})[A-Za-z@]{0,20}${before}|${key}(?<key>${labelOf.source})(?:/\.[a-z]{1,20})?\s{0,8}=\s{0,8}(?:(?=\{)|(?<value>[^,{}\s][^,{}\n]{0,400}))|(?<=\\begin\{)(?<environment>${labelOf.source})\})`,
    'giu',
  );
});

/**
 * Where macros of TeX state fields: what stands in braces behind a name or in an environment of it (`\newcommand{\salaryband}{B7}`, `\salaryband{B7}`), and values of keys
 * (`\setkeys{salary_band=B7}`). Braces stay, so that the rest can be read.
 */
export function macroFields(text: string, names: readonly string[]): StatedFields[] {
  const labelOf = labelReader(names);
  if (!text.includes('\\') || !labelOf.occursIn(text)) return [];
  return [...text.matchAll(macroOf(labelOf))].flatMap(({ index, 0: all, groups = {} }) => {
    const behind = index + all.length;
    const { macro, key, value, environment } = groups;
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
