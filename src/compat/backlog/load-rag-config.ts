import { findProject } from '../../config/find-project.js';
import { findConfig, loadConfig } from '../../config/load-config.js';
import { nestUnderRag } from '../../config/merge-settings.js';
import type { RAGSettingsInput } from '../../index.js';

/**
 * Section 8.1: the `rag` block of the configuration of a folder, or of the nearest one above with one, as `RAGService.initialize` takes it; what is not
 * stated has its default there. Without a file it is empty but for `enabled`.
 *
 * @throws RAGError what the configuration is refused for
 */
export async function loadRAGConfig({
  cwd = process.cwd(),
}: {
  readonly cwd?: string;
} = {}): Promise<RAGSettingsInput & { readonly enabled: boolean }> {
  const { rag } = await loadConfig({ cwd });
  const { tree } = await findConfig(findProject(cwd));
  const stated = (nestUnderRag(tree as object) as { readonly rag?: RAGSettingsInput }).rag;
  return { ...stated, enabled: rag.enabled };
}
