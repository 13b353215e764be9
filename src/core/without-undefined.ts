/** The fields that have a value. Where `exactOptionalPropertyTypes` holds, a field that is not stated is absent, not undefined. */
export const withoutUndefined = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } =>
  // What was filtered out is what the type of `fromEntries` cannot say.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };
