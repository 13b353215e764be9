import { sourceDefinition } from '../../sources/definitions.js';
import type { Confinement } from '../../sources/source-definition.js';
import type { ResolvedConfig } from '../resolved-config.js';
import { assertTrusted } from './check-trust.js';
import type { Risk } from './risks.js';

/** Keeps a source of a configuration that was found to its folder and what is trusted; undefined for any other. */
export function confinementOf(
  key: string,
  { isFound = false, file = '', projectRoot, environment }: ResolvedConfig,
): Confinement | undefined {
  if (!isFound) return undefined;
  return {
    folder: projectRoot,
    assertTrusted: (paths) => {
      const risks = paths.map((path) => reading(key, path));
      assertTrusted({ file, folder: projectRoot, risks }, environment);
    },
  };
}

/** What the sources of a configuration read beyond its folder because of what their files say. */
export async function sourceRisks({ rag, projectRoot }: ResolvedConfig): Promise<Risk[]> {
  const risks: Risk[] = [];
  for (const [index, source] of rag.sources.entries()) {
    const paths = (await sourceDefinition(source.type).reach?.(source, projectRoot)) ?? [];
    risks.push(...paths.map((path) => reading(`rag.sources[${index}]`, path)));
  }
  return risks;
}

const reading = (key: string, path: string): Risk => ({ key, what: `reads ${path}, outside of its folder` });
