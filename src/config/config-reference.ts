import { configJsonSchema, ownSchema, type SchemaNode } from './json-schema.js';

interface ReferenceRow {
  readonly key: string;
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}

interface ReferenceSection {
  readonly title: string;
  readonly meaning: string;
  readonly rows: ReferenceRow[];
}

const INTRODUCTION = `# Configuration reference

<!-- Generated from the schema of the settings; do not edit. -->

Settings stand in \`config/rag-config.yaml\` or \`ragstone.yaml\`, or in the file named with \`--config\`. Every setting is
optional; an unknown key or a wrong value is refused with file, line and column. \`ragstone config show\` prints each value and
where it comes from, \`ragstone config check\` says what is wrong and which settings have no effect in this version.

Relative paths start from the project's folder: the folder that holds \`config/\` for \`config/rag-config.yaml\`, else the
folder of the file. The data folder (\`--data\`) is \`.ragstone\` in it.

Any value may refer to environment variables: \`\${NAME}\`, \`\${NAME:-default}\` (also for an empty variable),
\`\${NAME:?message}\`; \`$$\` is a dollar sign. References are expanded after the file is parsed, so a value can never become
YAML. A variable that is not set stops a command only where its value is used. A list may be written as one text with
commas (\`TECH,ARCH\`).

For completion and checks in an editor, put this line on top of the file:

\`\`\`yaml
# yaml-language-server: $schema=node_modules/ragstone/config.schema.json
\`\`\`
`;

/** The text of `docs/configuration.md`: one table for each block of settings, in the order of the schema. */
export function configReference(): string {
  const sections: ReferenceSection[] = [];
  const root = configJsonSchema();
  const rag = root.properties?.rag;
  if (rag !== undefined) addSection(sections, 'rag', rag);
  const flat = Object.entries(root.properties ?? {}).filter(([name]) => name !== 'rag');
  sections.push({
    title: 'Beside `rag`',
    meaning: 'Settings at the root of the file.',
    rows: flat.map(([name, node]) => rowOf(name, node, root)),
  });
  return `${[INTRODUCTION.trimEnd(), ...sections.map(formatSection)].join('\n\n')}\n`;
}

function addSection(sections: ReferenceSection[], path: string, node: SchemaNode): void {
  const rows: ReferenceRow[] = [];
  sections.push({ title: `\`${path}\``, meaning: node.description ?? '', rows });
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const place = `${path}.${name}`;
    const isRepeated = name === 'chunking' && path.endsWith('[]');
    if (child.properties !== undefined && !isRepeated) addSection(sections, place, child);
    else if (child.items?.oneOf !== undefined) addAlternatives(sections, place, child);
    else if (child.items?.properties !== undefined) {
      rows.push(rowOf(name, child, node));
      addSection(sections, `${place}[]`, child.items);
    } else rows.push(rowOf(name, child, node));
  }
}

function addAlternatives(sections: ReferenceSection[], path: string, list: SchemaNode): void {
  for (const option of list.items?.oneOf ?? []) {
    const type = option.properties?.type;
    const at = sections.length;
    addSection(sections, `${path}[]`, option);
    const first = sections[at];
    if (first !== undefined)
      sections[at] = {
        ...first,
        title: `\`${path}[]\` of type \`${String(type?.const)}\``,
        meaning: type?.description ?? '',
      };
  }
}

function rowOf(name: string, written: SchemaNode, parent: SchemaNode): ReferenceRow {
  const node = ownSchema(written);
  const isRequired = parent.required?.includes(name) ?? false;
  return {
    key: `\`${name}\``,
    type: typeOf(node),
    fallback: isRequired ? 'required' : defaultOf(node),
    meaning: (node.description ?? '').replaceAll('|', '\\|').replace(/ Default: .*$/s, ''),
  };
}

function typeOf(node: SchemaNode): string {
  if (node.const !== undefined) return `\`${String(node.const)}\``;
  if (node.enum !== undefined) return node.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (node.anyOf !== undefined) return 'list of texts';
  if (node.type === 'array') return `list of ${node.items?.type === 'string' ? 'texts' : 'blocks'}`;
  if (node.type === 'object') return 'block';
  const names: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
  };
  return names[String(node.type)] ?? String(node.type);
}

/** A computed default is told by the description ("Default: ..."), a fixed one by the schema. */
function defaultOf(node: SchemaNode): string {
  const told = / Default: (.*?)\.?$/s.exec(node.description ?? '')?.[1];
  if (told !== undefined) return told.replaceAll('|', '\\|');
  if (node.default === undefined) return '';
  return `\`${typeof node.default === 'string' ? node.default : JSON.stringify(node.default)}\``;
}

function formatSection({ title, meaning, rows }: ReferenceSection): string {
  const head = `## ${title}\n\n${meaning}`.trimEnd();
  if (rows.length === 0) return head;
  const lines = rows.map(
    ({ key, type, fallback, meaning: text }) => `| ${key} | ${type} | ${fallback} | ${text} |`,
  );
  return `${head}\n\n| Setting | Type | Default | Meaning |\n| --- | --- | --- | --- |\n${lines.join('\n')}`;
}
