import { expect, test } from 'vitest';
import { commandReference } from '../../tools/generate/command-reference.js';
import { mcpPage } from '../../tools/generate/mcp-arguments.js';
import { qualitySummary } from '../../tools/generate/quality-summary.js';
import { sizingPage } from '../../tools/generate/sizing-page.js';
import { readPage } from './samples.js';

// The gate checks the other generated files by `npm run generate -- --check`; these are quick and change often.
test.each([
  ['docs/commands.md', commandReference],
  ['docs/mcp.md', mcpPage],
  ['docs/quality.md', qualitySummary],
  ['docs/sizing.md', sizingPage],
])('%s is what "npm run generate" writes', (page, generate) => {
  expect(readPage(page)).toBe(generate());
});
