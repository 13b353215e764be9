import type { EnrichedPBI } from 'ragstone/backlog';

/** What a person reads of an enriched item. */
export function reportOf({ pbi, context }: EnrichedPBI): string {
  const lines = [
    `${pbi.id} ${pbi.title}`,
    ...context.similar_work.map(
      ({ ref, title, similarity }) => `  like it: ${ref} ${title} (${similarity} %)`,
    ),
    ...context.past_decisions.map(({ ref, decision }) => `  decided: ${decision} [${ref}]`),
    ...context.technical_docs.map(({ ref, title }) => `  read: ${title} [${ref}]`),
  ];
  const leftOut = (context.notices ?? []).filter(isOfThreshold);
  return [
    ...lines,
    ...(lines.length === 1 ? [...context.suggestions, ...leftOut].map((text) => `  ${text}`) : []),
  ].join('\n');
}

/** That passages scored less than a threshold is told with the item. */
const isOfThreshold = (notice: string): boolean => notice.includes('left out');

/** What the run should say once and not for each item. */
export function noticesOf(enriched: readonly EnrichedPBI[]): string[] {
  const notices = enriched.flatMap(({ context }) => context.notices ?? []);
  return [...new Set(notices)].filter((notice) => !isOfThreshold(notice));
}

/** How the items were rolled out; nothing where all of them are. */
export function rolloutOf(enriched: readonly EnrichedPBI[]): string[] {
  const outcomes = enriched.flatMap(({ context }) => context.rollout ?? []);
  const rag = outcomes.filter(({ side }) => side === 'rag').length;
  const compared = outcomes.filter(({ comparison }) => comparison !== undefined).length;
  return [
    ...(rag < outcomes.length
      ? [`Rollout: ${rag} of ${outcomes.length} items were enriched from the index.`]
      : []),
    ...(compared === 0
      ? []
      : [`Shadow: ${compared} were compared; \`npm run chef -- rag rollout\` shows how.`]),
  ];
}
