import { endianness } from 'node:os';

/** Numbers of a tensor, as ONNX names their types. */
const TYPES = { 1: 'float', 2: 'uint8', 3: 'int8', 6: 'int32', 7: 'int64', 9: 'bool' } as const;

export interface OnnxTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  /** Undefined for a type that is not read. */
  readonly type: (typeof TYPES)[keyof typeof TYPES] | undefined;
  /** Undefined where they stand in another file. */
  readonly values: Float32Array | Int8Array | Uint8Array | Int32Array | BigInt64Array | undefined;
}

export interface OnnxNode {
  readonly operator: string;
  /** Empty for the operators of ONNX itself. */
  readonly domain: string;
  readonly name: string;
  /** Names of values; empty for one that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly numbers: ReadonlyMap<string, number>;
  readonly tensors: ReadonlyMap<string, OnnxTensor>;
}

export interface OnnxGraph {
  /** In the order in which they are computed. */
  readonly nodes: readonly OnnxNode[];
  readonly constants: ReadonlyMap<string, OnnxTensor>;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Reads the graph of an ONNX file (its messages of Protocol Buffers, as `onnx.proto` numbers their fields); tensors share the memory of the bytes where they can.
 *
 * @throws Error for bytes that are none
 */
export function readOnnxGraph(bytes: Uint8Array): OnnxGraph {
  let graph: Fields | undefined;
  for (const field of new Fields(bytes)) if (field.number === 7) graph = field.message();
  if (graph === undefined) throw new Error('it holds no graph');
  const nodes: OnnxNode[] = [];
  const constants = new Map<string, OnnxTensor>();
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const field of graph) {
    if (field.number === 1) nodes.push(readNode(field.message()));
    else if (field.number === 5) {
      const tensor = readTensor(field.message());
      constants.set(tensor.name, tensor);
    } else if (field.number === 11) inputs.push(nameOf(field.message()));
    else if (field.number === 12) outputs.push(nameOf(field.message()));
  }
  return { nodes, constants, inputs: inputs.filter((name) => !constants.has(name)), outputs };
}

function nameOf(value: Fields): string {
  for (const field of value) if (field.number === 1) return field.text();
  return '';
}

function readNode(message: Fields): OnnxNode {
  const node = { operator: '', domain: '', name: '', inputs: [] as string[], outputs: [] as string[] };
  const numbers = new Map<string, number>();
  const tensors = new Map<string, OnnxTensor>();
  for (const field of message) {
    if (field.number === 1) node.inputs.push(field.text());
    else if (field.number === 2) node.outputs.push(field.text());
    else if (field.number === 3) node.name = field.text();
    else if (field.number === 4) node.operator = field.text();
    else if (field.number === 5) readAttribute(field.message(), numbers, tensors);
    else if (field.number === 7) node.domain = field.text();
  }
  return { ...node, numbers, tensors };
}

function readAttribute(
  message: Fields,
  numbers: Map<string, number>,
  tensors: Map<string, OnnxTensor>,
): void {
  let name = '';
  let number: number | undefined;
  let tensor: OnnxTensor | undefined;
  for (const field of message) {
    if (field.number === 1) name = field.text();
    else if (field.number === 2) number = field.float();
    else if (field.number === 3) number = field.whole();
    else if (field.number === 5) tensor = readTensor(field.message());
  }
  if (number !== undefined) numbers.set(name, number);
  if (tensor !== undefined) tensors.set(name, tensor);
}

function readTensor(message: Fields): OnnxTensor {
  let name = '';
  const dimensions: number[] = [];
  let type: OnnxTensor['type'];
  let raw: Uint8Array | undefined;
  const listed: number[] = [];
  let isElsewhere = false;
  for (const field of message) {
    if (field.number === 1) dimensions.push(...field.wholes());
    else if (field.number === 2) type = TYPES[field.whole() as keyof typeof TYPES];
    else if (field.number === 4) listed.push(...field.floats());
    else if (field.number === 5 || field.number === 7) listed.push(...field.wholes());
    else if (field.number === 8) name = field.text();
    else if (field.number === 9) raw = field.bytes();
    else if (field.number === 14) isElsewhere = field.whole() === 1;
  }
  const count = dimensions.reduce((product, size) => product * size, 1);
  const values = isElsewhere || type === undefined ? undefined : valuesOf(type, raw, listed);
  if (values !== undefined && values.length !== count) throw new Error(`the tensor ${name} is cut short`);
  return { name, dimensions, type, values };
}

function valuesOf(
  type: NonNullable<OnnxTensor['type']>,
  raw: Uint8Array | undefined,
  listed: readonly number[],
): OnnxTensor['values'] {
  if (type === 'int64')
    return raw === undefined ? BigInt64Array.from(listed, BigInt) : new BigInt64Array(aligned(raw, 8));
  if (type === 'float')
    return raw === undefined ? Float32Array.from(listed) : new Float32Array(aligned(raw, 4));
  if (type === 'int32') return raw === undefined ? Int32Array.from(listed) : new Int32Array(aligned(raw, 4));
  if (raw === undefined) return type === 'int8' ? Int8Array.from(listed) : Uint8Array.from(listed);
  return type === 'int8' ? new Int8Array(raw.buffer, raw.byteOffset, raw.length) : raw;
}

/** A copy where typed numbers may begin, which threads share. */
function aligned(raw: Uint8Array, size: number): SharedArrayBuffer {
  if (raw.length % size !== 0) throw new Error('a tensor is cut short');
  if (endianness() === 'BE') throw new Error('this machine is big-endian');
  const copy = new SharedArrayBuffer(raw.length);
  new Uint8Array(copy).set(raw);
  return copy;
}

const VARINT = 0;
const EIGHT_BYTES = 1;
const DELIMITED = 2;
const FOUR_BYTES = 5;

/** One field of a message of Protocol Buffers. */
class Field {
  readonly number: number;
  readonly #value: number | Uint8Array;

  constructor(number: number, value: number | Uint8Array) {
    this.number = number;
    this.#value = value;
  }

  whole(): number {
    if (typeof this.#value !== 'number') throw new Error('a field is no number');
    return this.#value;
  }

  bytes(): Uint8Array {
    if (typeof this.#value === 'number') throw new Error('a field is no text');
    return this.#value;
  }

  text(): string {
    return Buffer.from(this.bytes()).toString('utf8');
  }

  message(): Fields {
    return new Fields(this.bytes());
  }

  float(): number {
    const bytes = this.bytes();
    if (bytes.length !== 4) throw new Error('a field is no floating-point number');
    return new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
  }

  /** One number, or many that are packed. */
  wholes(): readonly number[] {
    if (typeof this.#value === 'number') return [this.#value];
    const reader = new Bytes(this.#value);
    const found: number[] = [];
    while (!reader.isAtEnd) found.push(reader.varint());
    return found;
  }

  floats(): readonly number[] {
    const bytes = this.bytes();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => view.getFloat32(4 * at, true));
  }
}

class Fields implements Iterable<Field> {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  *[Symbol.iterator](): Iterator<Field> {
    const reader = new Bytes(this.#bytes);
    while (!reader.isAtEnd) {
      const key = reader.varint();
      const number = Math.floor(key / 8);
      const kind = key % 8;
      if (kind === VARINT) yield new Field(number, reader.varint());
      else if (kind === DELIMITED) yield new Field(number, reader.take(reader.varint()));
      else if (kind === FOUR_BYTES) yield new Field(number, reader.take(4));
      else if (kind === EIGHT_BYTES) yield new Field(number, reader.take(8));
      else throw new Error('it is no ONNX file');
    }
  }
}

class Bytes {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (!(count >= 0 && end <= this.#bytes.length)) throw new Error('it is cut short');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Whole numbers as far as JavaScript has them; negative ones stand as 64 bits of two's complement. */
  varint(): number {
    let low = 0;
    let high = 0;
    for (let bits = 0; bits < 70; bits += 7) {
      const byte = this.take(1)[0] ?? 0;
      if (bits < 28) low += (byte & 127) * 2 ** bits;
      else high += (byte & 127) * 2 ** (bits - 28);
      if (byte < 128) return signed(low, high);
    }
    throw new Error('it is no ONNX file');
  }
}

/** 28 low bits and what is above them. */
function signed(low: number, high: number): number {
  return high >= 2 ** 35 ? (high - 2 ** 36) * 2 ** 28 + low : high * 2 ** 28 + low;
}
