import type { CompareRequest } from 'ragstone/client';
import { type Address, firstOf } from '../../state/address.js';

export type Settings = CompareRequest['a'];
export type Side = 'a' | 'b';

interface Choice {
  readonly name: keyof Settings & string;
  readonly title: string;
  /** Values of a list, with words; without them a number is typed. */
  readonly values?: readonly (readonly [value: string, words: string])[];
  readonly range?: readonly [least: number, most: number, step: number];
}

const YES_NO = [
  ['true', 'yes'],
  ['false', 'no'],
] as const;

/** What can be set otherwise for one search. What is left out is as the index is set. */
export const CHOICES: readonly Choice[] = [
  {
    name: 'mode',
    title: 'search by',
    values: [
      ['hybrid', 'words and meaning'],
      ['lexical', 'words alone'],
      ['dense', 'meaning alone'],
      ['graph', 'and what is connected'],
    ],
  },
  { name: 'rerank', title: 'closer look (reranker)', values: YES_NO },
  {
    name: 'nearDuplicates',
    title: 'near duplicates',
    values: [
      ['remove', 'once'],
      ['keep', 'all'],
    ],
  },
  {
    name: 'collapse',
    title: 'shown once',
    values: [
      ['document', 'each document'],
      ['items', 'each item and ticket'],
      ['none', 'nothing'],
    ],
  },
  { name: 'exactWords', title: 'words as they are typed', values: YES_NO },
  { name: 'topK', title: 'results', range: [1, 100, 1] },
  { name: 'minScore', title: 'least score', range: [0, 1, 0.05] },
  { name: 'mmrLambda', title: 'relevance against variety', range: [0.05, 1, 0.05] },
  { name: 'recencyHalfLifeDays', title: 'half-life of age, days', range: [0, 36_500, 1] },
];

/** The settings of one side as the address has them; what is none is passed over. */
export function settingsOf(address: Address, side: Side): Settings {
  const stated: [name: string, value: string | number | boolean][] = [];
  for (const { name, values, range } of CHOICES) {
    const text = firstOf(address, `${side}.${name}`);
    if (text === '') continue;
    if (range !== undefined) {
      const value = Number(text);
      if (Number.isFinite(value) && value >= range[0] && value <= range[1]) stated.push([name, value]);
    } else if (values?.some(([value]) => value === text) === true)
      stated.push([name, values === YES_NO ? text === 'true' : text]);
  }
  return Object.fromEntries(stated);
}

/** Settings in words; `as the index is set` where nothing is stated. */
export function settingsWords(settings: Settings): string {
  const words = CHOICES.flatMap(({ name, title, values }) => {
    const value = settings[name];
    if (value === undefined) return [];
    const text = String(value);
    return [`${title}: ${values?.find(([one]) => one === text)?.[1] ?? text}`];
  });
  return words.length === 0 ? 'as the index is set' : words.join(', ');
}

export type Question = NonNullable<CompareRequest['questions']>[number];

/** The service takes no more at once. */
export const MOST_QUESTIONS = 200;

/**
 * Questions of a set: a list as JSON, an object that holds one under `questions`, or a line of JSON for each.
 *
 * @throws Error that says what is wrong with the file
 */
export function readQuestions(text: string): Question[] {
  const questions = listOf(text).map((value, at): Question => {
    if (
      typeof value !== 'object' ||
      value === null ||
      !('question' in value) ||
      typeof value.question !== 'string'
    )
      throw new Error(`Entry ${at + 1} has no “question”.`);
    const { question } = value;
    const id = 'id' in value ? String(value.id) : String(at + 1);
    const type = 'type' in value && typeof value.type === 'string' ? { type: value.type } : {};
    return {
      ...{ id, question, ...type },
      gold: quotesOf(value, 'gold'),
      alternates: quotesOf(value, 'alternates'),
    };
  });
  if (questions.length === 0) throw new Error('The file holds no question.');
  if (questions.length > MOST_QUESTIONS)
    throw new Error(
      `The file holds ${questions.length} questions; ${MOST_QUESTIONS} can be compared at once.`,
    );
  return questions;
}

/** Two questions of a set, as `ragstone eval` reads them. */
export const SAMPLE = [
  '{"id": "q1", "question": "How long are audit logs kept?", "type": "lookup", "gold": [{"path": "audit.md", "quote": "kept for 30 days"}]}',
  '{"id": "q2", "question": "Who may read them?", "type": "lookup", "gold": [{"path": "audit.md", "quote": "Auditors read them"}]}',
].join('\n');

/**
 * Questions about a folder, with the paths that the index has in place of those from the folder, where one document alone ends so; and the
 * paths that are of no document, which count as not found.
 */
export function placed(
  questions: readonly Question[],
  names: readonly string[],
): { readonly questions: Question[]; readonly unknown: readonly string[] } {
  const known = new Set(names);
  const unknown = new Set<string>();
  const pathOf = (path: string): string => {
    if (known.has(path)) return path;
    const ends = names.filter((name) => name.endsWith(`/${path}`) || path.endsWith(`/${name}`));
    if (ends[0] !== undefined && ends.length === 1) return ends[0];
    unknown.add(path);
    return path;
  };
  const moved = (quotes: Question['gold']) => quotes?.map((one) => ({ ...one, path: pathOf(one.path) }));
  return {
    questions: questions.map((one) => ({ ...one, gold: moved(one.gold), alternates: moved(one.alternates) })),
    unknown: [...unknown],
  };
}

function listOf(text: string): unknown[] {
  const lines = (): unknown[] =>
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line): unknown => JSON.parse(line));
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
    if (typeof value === 'object' && value !== null && 'questions' in value && Array.isArray(value.questions))
      return value.questions;
    return [value];
  } catch {
    try {
      return lines();
    } catch {
      throw new Error('The file is neither JSON nor a line of JSON for each question.');
    }
  }
}

function quotesOf(value: object, name: string): { path: string; quote: string }[] {
  const found = Object.entries(value).find(([key]) => key === name)?.[1] as unknown;
  if (!Array.isArray(found)) return [];
  return found.flatMap((one: unknown) => {
    if (typeof one !== 'object' || one === null || !('path' in one) || !('quote' in one)) return [];
    const grade = 'grade' in one && typeof one.grade === 'number' ? { grade: one.grade } : {};
    return [{ path: String(one.path), quote: String(one.quote), ...grade }];
  });
}
