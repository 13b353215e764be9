import type { ForgettingPlan } from './forgetting-plan.js';

interface RunStats {
  readonly errors?: readonly { readonly source?: string; readonly item?: string }[];
  readonly skipped?: Readonly<Record<string, unknown>>;
  readonly redactions?: Readonly<Record<string, unknown>>;
  readonly failure?: { readonly reason: string; readonly message: string };
}

/** Takes out of the statistics of a run what names something that was forgotten. */
export function runWithout({
  documents,
  items,
  source: whole,
}: Pick<ForgettingPlan, 'documents' | 'items' | 'source'>): (stats: string) => string {
  const names = new Set([
    ...documents.flatMap(({ source, externalId, itemId }) => [
      keyOf(source, externalId),
      keyOf(source, itemId),
    ]),
    ...items.map(({ source, itemId }) => keyOf(source, itemId)),
  ]);
  const told = [
    ...documents.flatMap(({ externalId, itemId }) => [externalId, itemId]),
    ...items.map(({ itemId }) => itemId),
    ...(whole === undefined ? [] : [whole]),
  ];
  return (text) => {
    const stats = JSON.parse(text) as RunStats;
    const { errors = [], skipped = {}, redactions = {}, failure } = stats;
    const kept = errors.filter(
      ({ source, item }) =>
        source !== whole && (source === undefined || item === undefined || !names.has(keyOf(source, item))),
    );
    const namesSource = whole !== undefined && (whole in skipped || whole in redactions);
    const namesIt = failure !== undefined && told.some((name) => failure.message.includes(name));
    if (kept.length === errors.length && !namesSource && !namesIt) return text;
    return JSON.stringify({
      ...stats,
      errors: kept,
      ...(namesIt ? { failure: { ...failure, message: 'It named what was forgotten.' } } : {}),
      ...(stats.skipped === undefined ? {} : { skipped: without(skipped, whole) }),
      ...(stats.redactions === undefined ? {} : { redactions: without(redactions, whole) }),
    });
  };
}

const keyOf = (source: string, name: string): string => JSON.stringify([source, name]);

const without = (counts: Readonly<Record<string, unknown>>, source: string | undefined): unknown =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => name !== source));
