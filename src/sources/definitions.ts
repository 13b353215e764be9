import { azureDevOpsDefinition } from './azure-devops/azure-devops-definition.js';
import { confluenceDefinition } from './confluence/confluence-definition.js';
import { filesDefinition } from './files/files-definition.js';
import { gitDefinition } from './git/git-definition.js';
import { markdownDefinition } from './markdown/markdown-definition.js';
import { pbiJsonDefinition } from './pbi-json/pbi-json-definition.js';
import type { SourceDefinition } from './source-definition.js';
import { sqlDefinition } from './sql/sql-definition.js';

/** Every kind of source that a configuration can name. */
export const SOURCES = [
  markdownDefinition,
  filesDefinition,
  pbiJsonDefinition,
  confluenceDefinition,
  azureDevOpsDefinition,
  sqlDefinition,
  gitDefinition,
] as const;

export function sourceDefinition(type: (typeof SOURCES)[number]['type']): SourceDefinition {
  const found = SOURCES.find((definition) => definition.type === type);
  // The schema is made of the same list.
  if (found === undefined) throw new TypeError(`There is no kind of source "${type}".`);
  // The settings of a source are checked against the fields of its own type.
  return found as unknown as SourceDefinition;
}
