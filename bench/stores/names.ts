/** What keeps the benchmark's collections apart on a server: a schema, a prefix or a namespace. */
export const NAMESPACE = 'bench';
/** As the engine names its first collection. */
export const COLLECTION = 'chunks-1';
