import type { DescribedSetting } from '../config/describe-config.js';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { compareScores, type ScoreComparison } from '../evaluation/compare-scores.js';
import { type Measurement, measure, type OnFound } from './evaluate.js';
import type { EvaluateOptions, EvaluationReport } from './experiment-types.js';

/** One of two configurations to compare. */
export interface ComparedConfiguration {
  /** How the report names it: a file, `current`, or the settings that differ. */
  readonly name: string;
  /** @default the file of the other options, else the one that is found */
  readonly configFile?: string;
  readonly overrides?: RAGSettingsInput;
}

/** What is compared, on which data. */
export interface CompareOptions extends Omit<EvaluateOptions, 'run'> {
  readonly a: ComparedConfiguration;
  readonly b: ComparedConfiguration;
  /** Tells of each query what both found and how long that took, as `comparisonPage` shows it. @default false */
  readonly withResults?: boolean;
}

/** A passage as a report shows it. */
export interface ComparedResult {
  readonly documentId: string;
  readonly title?: string | undefined;
  /** Beginning of its text, on one line. */
  readonly excerpt: string;
  /** It is of a document that the judgments, or gold quotes, of the query name. */
  readonly isRelevant: boolean;
}

/** A query and what both configurations found. */
export interface ComparedQuery {
  readonly id: string;
  readonly a: { readonly tookMs: number; readonly results: readonly ComparedResult[] };
  readonly b: { readonly tookMs: number; readonly results: readonly ComparedResult[] };
}

/** A setting of which the two have different values, as JSON. Secrets are masked; a secret that differs is none that is told. */
export interface DifferingSetting {
  readonly key: string;
  readonly a: string;
  readonly b: string;
}

/** Two configurations on the same queries: difference, interval, paired test, and each query that changed. */
export interface ComparisonReport extends ScoreComparison {
  readonly a: EvaluationReport & { readonly name: string };
  readonly b: EvaluationReport & { readonly name: string };
  readonly differingSettings?: readonly DifferingSetting[];
  /** With `withResults`. */
  readonly asked?: readonly ComparedQuery[];
}

/** Passages of each query that a report shows. */
const SHOWN_RESULTS = 5;
const EXCERPT_LENGTH = 180;

/** Measures both configurations on one target, one after the other, and compares them query by query. */
export async function compareConfigurations({
  a,
  b,
  withResults = false,
  ...options
}: CompareOptions): Promise<ComparisonReport> {
  const [ofA, ofB] = [new Gathered(), new Gathered()];
  const first = await measure(optionsOf(a, options), withResults ? ofA.add : undefined);
  const second = await measure(optionsOf(b, options), withResults ? ofB.add : undefined);
  return {
    a: { name: a.name, ...first.report },
    b: { name: b.name, ...second.report },
    ...compareScores(first.scores, second.scores),
    differingSettings: differingSettings(first.settings, second.settings),
    ...(withResults ? { asked: askedOf(first, ofA, ofB) } : {}),
  };
}

const optionsOf = (
  { configFile, overrides }: ComparedConfiguration,
  options: EvaluateOptions,
): EvaluateOptions => ({
  ...options,
  ...withoutUndefined({ configFile, overrides }),
});

/** What queries found, by their texts. */
class Gathered {
  readonly #byText = new Map<string, { tookMs: number; results: Omit<ComparedResult, 'isRelevant'>[] }>();

  readonly add: OnFound = (text, found, tookMs) => {
    const results = found.slice(0, SHOWN_RESULTS).map(({ documentId, title, content }) => ({
      documentId,
      title,
      excerpt: excerptOf(content),
    }));
    this.#byText.set(text, { tookMs, results });
  };

  of(text: string, relevant: ReadonlySet<string> | undefined): ComparedQuery['a'] {
    const { tookMs = 0, results = [] } = this.#byText.get(text) ?? {};
    return {
      tookMs,
      results: results.map((result) => ({
        ...result,
        isRelevant: relevant?.has(result.documentId) === true,
      })),
    };
  }
}

function excerptOf(content: string): string {
  const line = content.replaceAll(/\s+/g, ' ').trim();
  return line.length <= EXCERPT_LENGTH ? line : `${line.slice(0, EXCERPT_LENGTH).toWellFormed()}\u2026`;
}

const askedOf = ({ scores, relevant }: Measurement, ofA: Gathered, ofB: Gathered): ComparedQuery[] =>
  scores.queries.map(({ id, text }) => ({
    id,
    a: ofA.of(text, relevant.get(id)),
    b: ofB.of(text, relevant.get(id)),
  }));

/** Where the index of an evaluation lies is no setting that anybody compares. */
const OF_THE_EVALUATION = /^rag\.storage\.local\.path$/;

function differingSettings(
  a: readonly DescribedSetting[],
  b: readonly DescribedSetting[],
): DifferingSetting[] {
  const valuesOf = (settings: readonly DescribedSetting[]) =>
    new Map(settings.map(({ key, value }) => [key, JSON.stringify(value) ?? 'not set']));
  const [ofA, ofB] = [valuesOf(a), valuesOf(b)];
  return [...new Set([...ofA.keys(), ...ofB.keys()])].flatMap((key) => {
    const pair = { key, a: ofA.get(key) ?? 'not set', b: ofB.get(key) ?? 'not set' };
    return pair.a === pair.b || OF_THE_EVALUATION.test(key) ? [] : [pair];
  });
}
