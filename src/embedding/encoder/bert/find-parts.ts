import type { OnnxGraph, OnnxTensor } from '../onnx/onnx-graph.js';
import type { Attention, Linear, Lookup, Norm, Value, Weights } from './graph-values.js';
import { readValues } from './read-values.js';

/** A layer of a BERT network, as its graph has it. */
export interface LayerParts {
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly out: Linear;
  readonly norm: Norm;
  readonly up: Linear;
  readonly down: Linear;
  readonly lastNorm: Norm;
}

/** The weights of a BERT network (Devlin et al. 2019), as its graph has them. */
export interface NetworkParts {
  readonly words: Weights;
  readonly places: Weights;
  /** Absent where the network knows no token types. */
  readonly types: Weights | undefined;
  /** Whether it is given the type of each token. */
  readonly takesTypes: boolean;
  readonly norm: Norm;
  readonly layers: readonly LayerParts[];
  /** Of a sequence classifier: what it makes of the first token, one after the other. */
  readonly head: { readonly pooler: Linear; readonly classifier: Linear } | undefined;
}

const STATES = ['last_hidden_state', 'token_embeddings'];
const LOGITS = 'logits';

/**
 * Finds the parts of a BERT network in a graph, however it was exported: in floating point, with quantised weights, or quantised dynamically.
 *
 * @param sizes how many types of tokens and how many heads its configuration names
 * @throws Error that says what is no part of one
 */
export function findParts(
  graph: OnnxGraph,
  { heads, typeCount }: { readonly heads: number; readonly typeCount: number },
): NetworkParts {
  const values = readValues(graph);
  const output = graph.outputs.find((name) => STATES.includes(name) || name === LOGITS);
  const top = output === undefined ? undefined : values.get(output);
  if (top === undefined)
    throw new Error(`it gives ${graph.outputs.join(', ')} and neither last_hidden_state nor logits`);
  const { head, states } = output === LOGITS ? readHead(top) : { head: undefined, states: top };
  const layers: LayerParts[] = [];
  let below = states;
  while (!isEmbeddings(below)) {
    const { layer, below: next } = readLayer(below, heads);
    layers.unshift(layer);
    below = next;
  }
  return { ...readEmbeddings(below, typeCount), layers, head };
}

function readHead(logits: Value): { readonly head: NetworkParts['head']; readonly states: Value } {
  const classifier = expect(logits, 'linear');
  const pooler = expect(expect(classifier.of, 'tanh').of, 'linear');
  return { head: { pooler, classifier }, states: expect(pooler.of, 'first').of };
}

interface Embeddings extends Norm {
  readonly of: { readonly kind: 'sum'; readonly terms: readonly Lookup[] };
}

function isEmbeddings(value: Value): value is Embeddings {
  if (value.kind !== 'norm') return false;
  const { of } = value;
  return of.kind === 'sum' && of.terms.every(({ kind }) => kind === 'lookup');
}

function readEmbeddings(
  norm: Embeddings,
  typeCount: number,
): Pick<NetworkParts, 'words' | 'places' | 'types' | 'takesTypes' | 'norm'> {
  const { terms } = norm.of;
  const rowsOf = ({ table }: Lookup): number | undefined => table.tensor.dimensions[0];
  const words = terms.filter(({ by }) => by === 'ids');
  // A network that is given no types looks up the first one at every place.
  const isOfTypes = (term: Lookup): boolean =>
    term.by === 'types' || (term.by === 'places' && rowsOf(term) === typeCount);
  const types = terms.filter(isOfTypes);
  const places = terms.filter((term) => term.by === 'places' && !isOfTypes(term));
  const [word, place, type] = [words[0], places[0], types[0]];
  if (word === undefined || place === undefined || words.length + places.length > 2 || types.length > 1)
    throw new Error('its tokens are no sums of a word, a place and a type');
  return {
    words: word.table,
    places: place.table,
    types: type?.table,
    takesTypes: type?.by === 'types',
    norm,
  };
}

function readLayer(value: Value, heads: number): { readonly layer: LayerParts; readonly below: Value } {
  const lastNorm = expect(value, 'norm');
  const { linear: down, rest: middle } = residual(lastNorm);
  const gelu = expect(down.of, 'gelu');
  if (!isNear(gelu.factor, 0.5)) throw new Error('its activation is not GELU');
  const up = expect(gelu.of, 'linear');
  const norm = expect(middle, 'norm');
  const { linear: out, rest: below } = residual(norm);
  const attention = expect(out.of, 'attention');
  const [query, key, content] = [attention.query, attention.key, attention.value].map((of) =>
    expect(of, 'linear'),
  );
  if (query === undefined || key === undefined || content === undefined || up.of !== middle)
    throw new Error('its layers are put together in another way');
  for (const { of } of [query, key, content])
    if (of !== below) throw new Error('its layers are put together in another way');
  checkFactor(attention, query, heads);
  return { layer: { query, key, value: content, out, norm, up, down, lastNorm }, below };
}

function checkFactor({ factor }: Attention, { weights }: Linear, heads: number): void {
  const width = weights.tensor.dimensions[weights.isTransposed === true ? 0 : 1] ?? 0;
  // NaN: the graph computes it from the very shapes.
  if (!Number.isNaN(factor) && !isNear(factor, Math.sqrt(heads / width)))
    throw new Error(`its attention is not that of ${heads} heads`);
}

/** A product that is added to the rows that it was made of. */
function residual(norm: Norm): { readonly linear: Linear; readonly rest: Value } {
  if (norm.of.kind === 'sum' && norm.of.terms.length === 2) {
    const linear = norm.of.terms.find((term) => term.kind === 'linear');
    const rest = norm.of.terms.find((term) => term.kind === 'norm');
    if (linear !== undefined && rest !== undefined) return { linear, rest };
  }
  throw new Error(`its layers are put together in another way${unknownIn(norm.of)}`);
}

function expect<Kind extends Value['kind']>(value: Value, kind: Kind): Extract<Value, { kind: Kind }> {
  if (value.kind === kind) return value as Extract<Value, { kind: Kind }>;
  throw new Error(
    value.kind === 'unknown'
      ? `the operator ${value.node} is not known to it`
      : `its layers are put together in another way${unknownIn(value)}`,
  );
}

/** The operator that is not known, where a value was made of one. */
function unknownIn(value: Value): string {
  if (value.kind === 'unknown') return ` (${value.node})`;
  if (value.kind === 'sum') return value.terms.map((term) => unknownIn(term)).join('');
  return 'of' in value ? unknownIn(value.of) : '';
}

const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-3 * Math.abs(b);

/** Numbers of a tensor of floating-point numbers. @throws Error for others */
export function floatsOf({ name, values }: OnnxTensor): Float32Array {
  if (values instanceof Float32Array) return values;
  throw new Error(
    values === undefined
      ? `the weights ${name} stand in another file or format`
      : `the weights ${name} are no floating-point numbers`,
  );
}
