import type { Scope } from '../../core/scope.js';
import type { GenerationReader } from '../../ledger/ledger.js';
import { documentsIn } from '../../resources/ledger-rows.js';

const PAGE = 1_000;

/** Which sources a scope is told of: all of its tenant, or, with a project, those that hold documents of it. */
export async function sourcesOfScope(
  reader: GenerationReader | undefined,
  { tenant, project }: Scope,
): Promise<(source: string) => boolean> {
  if (project === undefined) return () => true;
  const names = new Set<string>();
  if (reader !== undefined)
    for await (const document of documentsIn(reader, PAGE))
      if (document.tenant === tenant && document.project === project) names.add(document.source);
  return (source) => names.has(source);
}
