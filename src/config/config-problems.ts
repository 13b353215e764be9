import { RAGError } from '../core/errors.js';
import { formatPath } from './config-path.js';
import type { ConfigProblem } from './validate-tree.js';
import type { YamlFile } from './yaml-file.js';

/** Where a configuration was read from, for messages. */
export interface ConfigPlace {
  readonly file?: string;
  readonly yaml?: YamlFile;
}

/** `ragstone.yaml:6:7: ` for a problem in a file, nothing for one in an object. */
export function placePrefix(problem: Pick<ConfigProblem, 'path' | 'target'>, place: ConfigPlace): string {
  if (place.file === undefined || place.yaml === undefined) return '';
  const { line, column } = place.yaml.positionOf(problem.path, problem.target);
  return `${place.file}:${line}:${column}: `;
}

/** One error for all problems of a configuration, in the order of the file. Its details describe the first. */
export function configProblemsError(problems: readonly ConfigProblem[], place: ConfigPlace): RAGError {
  const placed = problems
    .map((problem) => ({ problem, position: place.yaml?.positionOf(problem.path, problem.target) }))
    .sort(
      (left, right) =>
        (left.position?.line ?? 0) - (right.position?.line ?? 0) ||
        (left.position?.column ?? 0) - (right.position?.column ?? 0),
    );
  const lines = placed.map(({ problem }) => `${placePrefix(problem, place)}${problem.problem}`);
  const first = placed[0];
  return new RAGError('CONFIG_INVALID', lines.join('\n'), {
    details: {
      problems: lines,
      ...(place.file === undefined ? {} : { file: place.file }),
      ...(first?.position === undefined ? {} : { line: first.position.line, column: first.position.column }),
      ...(first === undefined ? {} : { key: formatPath(first.problem.path) }),
      ...(first?.problem.suggestion === undefined ? {} : { suggestion: first.problem.suggestion }),
    },
  });
}
