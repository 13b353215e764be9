import type { HistoryVersion, LedgerHistory } from '../history.js';

const PAGE = 500;

/** Every version of a tenant (of all without one), of all generations. */
export async function* allVersions(
  history: LedgerHistory | undefined,
  tenant: string | undefined,
): AsyncGenerator<HistoryVersion> {
  if (history === undefined) return;
  for (let after = 0; ; ) {
    const page = await history.versions(tenant, after, PAGE);
    yield* page;
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) return;
  }
}
