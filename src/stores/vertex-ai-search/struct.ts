import type { protos } from '@google-cloud/discoveryengine';

/** `google.protobuf.Struct` as the client takes and gives it. */
export type Struct = protos.google.protobuf.IStruct;
type Value = protos.google.protobuf.IValue;

/** What stands in documents here: JSON without null. */
export type JsonValue =
  | string
  | number
  | boolean
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonObject = Readonly<Record<string, JsonValue>>;

export const structOf = (object: JsonObject): Struct => ({
  fields: Object.fromEntries(Object.entries(object).map(([name, value]) => [name, toValue(value)])),
});

function toValue(value: JsonValue): Value {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (isList(value)) return { listValue: { values: value.map(toValue) } };
  return { structValue: structOf(value) };
}

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** The texts of a document by field; its other values are not read. */
export function textsOf(struct: Struct | null | undefined): Readonly<Record<string, string>> {
  const fields = Object.entries(struct?.fields ?? {});
  return Object.fromEntries(
    fields.flatMap(([name, { stringValue }]) =>
      typeof stringValue === 'string' ? [[name, stringValue]] : [],
    ),
  );
}
