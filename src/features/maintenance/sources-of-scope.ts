import type { Scope } from '../../core/scope.js';
import type { GenerationReader } from '../../ledger/ledger.js';

const PAGE = 1_000;

/** Which sources a scope is told of: all of its tenant, or, with a project, those that hold documents of it. */
export async function sourcesOfScope(
  reader: GenerationReader | undefined,
  { tenant, project }: Scope,
): Promise<(source: string) => boolean> {
  if (project === undefined) return () => true;
  const names = new Set<string>();
  for (let after: string | undefined; reader !== undefined; ) {
    const page = await reader.documents(after, PAGE);
    for (const document of page)
      if (document.tenant === tenant && document.project === project) names.add(document.source);
    after = page.at(-1)?.documentId;
    if (page.length < PAGE) break;
  }
  return (source) => names.has(source);
}
