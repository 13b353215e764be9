import type { Node } from 'web-tree-sitter';

/** What a definition is called. */
export interface Definition {
  /** Kind and name: `class Store`. */
  readonly symbol: string;
  readonly name: string;
  /** 0-based line of the name: the one that a reader knows the definition by. */
  readonly row: number;
  /** A variable that holds a value, not a function: worth a name only where it is not a function's own. */
  readonly isValue?: boolean;
}

/** Node types of all grammars that define something with a name, and what that is called. */
const KINDS: Readonly<Record<string, string>> = {
  abstract_class_declaration: 'class',
  abstract_method_signature: 'method',
  annotation_type_declaration: 'annotation',
  class: 'class',
  class_declaration: 'class',
  class_definition: 'class',
  class_method_definition: 'method',
  class_specifier: 'class',
  class_statement: 'class',
  const_item: 'const',
  constructor_declaration: 'constructor',
  delegate_declaration: 'delegate',
  destructor_declaration: 'destructor',
  enum_declaration: 'enum',
  enum_item: 'enum',
  enum_specifier: 'enum',
  enum_statement: 'enum',
  event_declaration: 'event',
  field_definition: 'field',
  function_declaration: 'function',
  function_definition: 'function',
  function_item: 'function',
  function_signature: 'function',
  function_signature_item: 'function',
  function_statement: 'function',
  generator_function_declaration: 'function',
  impl_item: 'impl',
  interface_declaration: 'interface',
  internal_module: 'namespace',
  local_function_statement: 'function',
  macro_definition: 'macro',
  method: 'method',
  method_declaration: 'method',
  method_definition: 'method',
  mod_item: 'module',
  module: 'module',
  namespace_declaration: 'namespace',
  namespace_definition: 'namespace',
  preproc_function_def: 'macro',
  property_declaration: 'property',
  public_field_definition: 'field',
  record_declaration: 'record',
  rule_set: 'rule',
  section: 'section',
  singleton_method: 'method',
  static_item: 'static',
  struct_declaration: 'struct',
  struct_item: 'struct',
  struct_specifier: 'struct',
  trait_declaration: 'trait',
  trait_item: 'trait',
  type_alias_declaration: 'type',
  type_item: 'type',
  type_spec: 'type',
  union_item: 'union',
  union_specifier: 'union',
};

/** Nodes around a definition that add only a modifier: `export`, decorators, template parameters. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'ambient_declaration',
  'decorated_definition',
  'export_statement',
  'expression_statement',
  'lexical_declaration',
  'template_declaration',
  'type_declaration',
  'variable_declaration',
]);

/** Values that make a variable or an assignment a definition. */
const FUNCTION_VALUES: ReadonlySet<string> = new Set([
  'arrow_function',
  'class',
  'function_expression',
  'generator_function',
]);

const MAX_NAME_LENGTH = 120;

/** Modifiers around one definition; real code has three or four. */
const MAX_MODIFIERS = 20;

/** The definition that a node is, its modifiers looked through; undefined for a statement. */
export function definitionOf(node: Node, modifiers = 0): Definition | undefined {
  const kind = KINDS[node.type];
  if (kind !== undefined) return named(kind, nameOf(node));
  if (node.type === 'variable_declarator') {
    const value = node.childForFieldName('value');
    const isFunction = value !== null && FUNCTION_VALUES.has(value.type);
    const name = node.childForFieldName('name');
    return isFunction ? named('function', name) : asValue(named('const', name));
  }
  if (node.type === 'assignment_expression') {
    const right = node.childForFieldName('right');
    if (right === null || !FUNCTION_VALUES.has(right.type)) return undefined;
    return named('function', node.childForFieldName('left'));
  }
  if (!WRAPPERS.has(node.type) || modifiers === MAX_MODIFIERS) return undefined;
  for (const child of node.namedChildren) {
    const definition = definitionOf(child, modifiers + 1);
    if (definition !== undefined) return definition;
  }
  return undefined;
}

/** Go: `(s *Store[T])`; of a longer one the end is looked at. */
const RECEIVER_TYPE = /\*?\s*(\w+)(?:\[[^\]]*\])?\s*\)$/;
const MAX_RECEIVER_LENGTH = 300;

/** A name, and the node that says where it stands. */
interface Name {
  readonly text: string;
  readonly startPosition: Node['startPosition'];
}

function nameOf(node: Node): Name | null {
  if (node.type === 'impl_item') return implementationName(node);
  const name =
    node.childForFieldName('name') ??
    node.childForFieldName('property') ??
    declaredName(node) ??
    unnamedFieldName(node);
  const receiver = node.type === 'method_declaration' ? node.childForFieldName('receiver') : null;
  const type = RECEIVER_TYPE.exec(receiver?.text.slice(-MAX_RECEIVER_LENGTH) ?? '')?.[1];
  return type === undefined || name === null
    ? name
    : { text: `${type}.${name.text}`, startPosition: name.startPosition };
}

/** C++: the name is the innermost declarator, below pointers, references and parameters. */
function declaredName(node: Node): Node | null {
  let declarator = node.childForFieldName('declarator');
  for (let inner = declarator; inner !== null; inner = declarator?.childForFieldName('declarator') ?? null) {
    declarator = inner;
  }
  return declarator;
}

const NAME_NODES: ReadonlySet<string> = new Set([
  'function_name',
  'section_name',
  'selectors',
  'simple_name',
  'variable',
]);

/** Grammars that give the name no field. */
const unnamedFieldName = (node: Node): Node | null =>
  node.namedChildren.find((child) => NAME_NODES.has(child.type)) ?? null;

function implementationName(node: Node): Name | null {
  const type = node.childForFieldName('type');
  const trait = node.childForFieldName('trait');
  if (type === null || trait === null) return type;
  return { text: `${trait.text} for ${type.text}`, startPosition: type.startPosition };
}

/** A pattern (`{ a, b }`) names several values, none of them a definition. */
const asValue = (definition: Definition | undefined): Definition | undefined =>
  definition === undefined || /^[[{(]/.test(definition.name) ? undefined : { ...definition, isValue: true };

function named(kind: string, name: Name | null): Definition | undefined {
  const text = name?.text.replace(/\s+/g, ' ').trim() ?? '';
  // The name of an ini section comes in its brackets.
  const bare = text.replace(/^\[(.*)\]$/, '$1').slice(0, MAX_NAME_LENGTH);
  if (name === null || bare === '') return undefined;
  return { symbol: `${kind} ${bare}`, name: bare, row: name.startPosition.row };
}
