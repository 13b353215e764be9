import type { Scope } from '../../core/scope.js';
import type { CommunitySummary, FactReader } from '../../relations/graph/facts.js';

const PAGE = 200;

/** Summaries of a tenant in the order of their ids, a page at a time, whatever the access of what they were made of. */
export async function* summaryPages(
  facts: FactReader,
  tenant: string,
  after?: string,
): AsyncGenerator<readonly CommunitySummary[]> {
  for (let last = after; ; ) {
    const page = await facts.summaries(tenant, { limit: PAGE, after: last });
    yield page;
    if (page.length < PAGE) return;
    last = page.at(-1)?.id;
  }
}

/** All of them, those of the project alone where one is stated. */
export async function summariesIn(
  facts: FactReader,
  { tenant, project }: Pick<Scope, 'tenant' | 'project'>,
): Promise<CommunitySummary[]> {
  const all: CommunitySummary[] = [];
  for await (const page of summaryPages(facts, tenant))
    all.push(...page.filter((summary) => project === undefined || summary.project === project));
  return all;
}
