import { readFileSync } from 'node:fs';
import { TOOLS } from '../../src/faces/mcp/tools/all-tools.js';

const PAGE = new URL('../../docs/mcp.md', import.meta.url);
const BEGIN = '<!-- Generated from the schemas of the tools; do not edit. -->';
const END = '<!-- End of what is generated. -->';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The text of `docs/mcp.md` with the arguments of each tool as assistants are told them. */
export function mcpPage(): string {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('docs/mcp.md has lost its marks.');
  const tables = TOOLS.map(({ name, inputSchema }) => argumentTable(name, inputSchema as Schema));
  return `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${after}`;
}

function argumentTable(name: string, { properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(
    ([argument, schema]) =>
      `| \`${argument}\`${required.includes(argument) ? '' : '?'} | ${shownValue(schema)} | ${inCell(schema.description ?? '')} |`,
  );
  const heading = `### \`${name}\``;
  return rows.length === 0
    ? `${heading}\n\nIt takes no arguments.`
    : [`${heading}\n`, '| argument | value | |', '| --- | --- | --- |', ...rows].join('\n');
}

function shownValue(schema: Schema): string {
  const preset = schema.default === undefined ? '' : `; default \`${String(schema.default)}\``;
  return `${kindOf(schema)}${preset}`;
}

function kindOf({ type, enum: names, items, minimum, maximum }: Schema): string {
  if (names !== undefined) return names.map((name) => `\`${name}\``).join(', ');
  if (type === 'array') return `list of ${items === undefined ? 'values' : `${kindOf(items)}s`}`;
  if (type === 'integer')
    return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
      ? `whole number from ${minimum ?? 0}`
      : `${minimum ?? 0} to ${maximum}`;
  return type === 'string' ? 'text' : (type ?? 'value');
}

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
