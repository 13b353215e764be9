import { isPathInside, realPathOf } from '../../platform/security/path-containment.js';
import { sourceDefinition } from '../../sources/definitions.js';
import type { Confinement } from '../../sources/source-definition.js';
import type { ResolvedConfig } from '../resolved-config.js';
import { assertTrusted } from './check-trust.js';
import type { Risk } from './risks.js';

/** Settings of a source that name where its files are. */
const PLACES = ['root', 'path'];

/** Keeps a source of a configuration that was found to its folder and what is trusted; undefined for any other. */
export function confinementOf(
  key: string,
  { isFound = false, file = '', projectRoot, environment, reaching }: ResolvedConfig,
): Confinement | undefined {
  if (!isFound) return undefined;
  const assertAll = (paths: readonly string[]): void => {
    const risks = paths.map((path) => reading(key, path));
    assertTrusted({ file, folder: projectRoot, risks }, environment);
  };
  return {
    folder: projectRoot,
    assertTrusted: assertAll,
    assertRoot: (real) => {
      const isTrusted = PLACES.some((name) => reaching?.has(`${key}.${name}`) === true);
      if (!isTrusted && !isPathInside(realPathOf(projectRoot), real)) assertAll([real]);
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
