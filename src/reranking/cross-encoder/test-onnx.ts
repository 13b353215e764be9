// Writes ONNX files. Fields are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.

export const FLOAT = 1;
export const INT64 = 7;

/** A node of a graph. */
export const node = (
  operator: string,
  inputs: readonly string[],
  output: string,
  extra: readonly number[] = [],
) =>
  bytes(1, [...inputs.flatMap((name) => text(1, name)), ...text(2, output), ...text(4, operator), ...extra]);

/** A whole number. */
export const attribute = (name: string, integer: number) =>
  bytes(5, [...text(1, name), ...number(3, integer), ...number(20, 2)]);

/** An input or output. */
export function value(name: string, type: number, dimensions: readonly string[]): number[] {
  const shape = dimensions.flatMap((dimension) => bytes(1, text(2, dimension)));
  const tensor = [...number(1, type), ...bytes(2, shape)];
  return [...text(1, name), ...bytes(2, bytes(1, tensor))];
}

/** Several whole numbers. */
export const attributes = (name: string, integers: readonly number[]) =>
  bytes(5, [...text(1, name), ...integers.flatMap((integer) => number(8, integer)), ...number(20, 7)]);

/** A constant: numbers in floating point, or whole ones below 128. */
export const tensor = (
  name: string,
  dimensions: readonly number[],
  type: number,
  values: readonly number[],
) =>
  bytes(5, [
    ...dimensions.flatMap((size) => number(1, size)),
    ...number(2, type),
    ...text(8, name),
    ...(type === FLOAT ? bytes(9, floats(values)) : bytes(7, values)),
  ]);

/** An ONNX file of the fields of a graph. */
export const onnxFileOf = (graph: readonly number[], opset: number): Uint8Array =>
  Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, [...text(1, ''), ...number(2, opset)])]);

// Protocol buffers: a field is its number and wire type, then a varint or a length and bytes.
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
export const number = (field: number, value: number): number[] => [...varint(field << 3), ...varint(value)];
export const bytes = (field: number, content: readonly number[]): number[] => [
  ...varint((field << 3) | 2),
  ...varint(content.length),
  ...content,
];
export const text = (field: number, value: string): number[] => bytes(field, [...Buffer.from(value)]);
export const floats = (values: readonly number[]): number[] => [
  ...new Uint8Array(Float32Array.from(values).buffer),
];
